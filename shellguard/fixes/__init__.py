"""Fixes: which of them can be applied together, what they do to a text, how that is shown, and how it is saved.

Knows nothing of rules or grammar except through the functions it is given.
"""

from shellguard.fixes.diff import fix_preview, unified_diff
from shellguard.fixes.edits import EditConflictError, apply_edits, are_in_conflict, fit_newlines
from shellguard.fixes.rounds import DroppedFix, FixResult, fix_text
from shellguard.fixes.save import SaveError, resolve_target, write_atomically

__all__ = [
    "DroppedFix",
    "EditConflictError",
    "FixResult",
    "SaveError",
    "apply_edits",
    "are_in_conflict",
    "fit_newlines",
    "fix_preview",
    "fix_text",
    "resolve_target",
    "unified_diff",
    "write_atomically",
]
