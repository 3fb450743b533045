"""The checks: facts to findings, one module a rule, and the table of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shellguard.checks import (
    sg101_status_after_substitution,
    sg102_status_of_wrong_command,
    sg103_status_in_negated_branch,
    sg104_declaration_masks_status,
    sg108_bare_exit_after_message,
    sg110_dead_status_check,
    sg201_pipe_masks_status,
    sg207_and_list_escapes_errexit,
    sg210_errexit_only_in_shebang,
    sg212_wait_drops_status,
    sg216_trap_overrides_status,
    sg224_misspelt_shell_option,
    sg301_output_never_checked,
    sg307_redirection_order,
    sg501_harness_in_ephemeral_path,
)
from shellguard.finding import Finding
from shellguard.flow.facts import Facts


@dataclass(frozen=True, slots=True)
class Check:
    """The code of a rule and the function that finds it. Everything else about the rule is on its page."""

    code: str
    run: Callable[[Facts], Iterator[Finding]]


CHECKS = (
    Check("SG101", sg101_status_after_substitution.check),
    Check("SG102", sg102_status_of_wrong_command.check),
    Check("SG103", sg103_status_in_negated_branch.check),
    Check("SG104", sg104_declaration_masks_status.check),
    Check("SG108", sg108_bare_exit_after_message.check),
    Check("SG110", sg110_dead_status_check.check),
    Check("SG201", sg201_pipe_masks_status.check),
    Check("SG207", sg207_and_list_escapes_errexit.check),
    Check("SG210", sg210_errexit_only_in_shebang.check),
    Check("SG212", sg212_wait_drops_status.check),
    Check("SG216", sg216_trap_overrides_status.check),
    Check("SG224", sg224_misspelt_shell_option.check),
    Check("SG301", sg301_output_never_checked.check),
    Check("SG307", sg307_redirection_order.check),
    Check("SG501", sg501_harness_in_ephemeral_path.check),
)
