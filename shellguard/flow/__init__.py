"""Facts about how shells behave, built from the tree; this is their index.

`facts.analyse` builds what all rules need; a rule asks for the rest. A fact answers one question:

The tree
    structure     What holds a node? Which functions are there, and who calls them?

The shell at a place
    situations    What holds when a command runs: options, values of its words, the working directory?
    options       Is errexit (or pipefail) on, off or unknown here, and what suppresses it?
    values        What can a word stand for?
    expansions    In which order do a command's expansions happen, and which of them read or set `$?`?

The shell's options
    first_line        Does errexit hang on the options of the first line, which `bash script` leaves out?
    misspelt_options  Which commands that are meant to set the shell's options set others, or none?

Commands
    commands      What is a command of this script for? A call of a function is what its body is.
    roles         What is a command for, by its words alone?
    wrappers      Which command does `sudo nice -n 5 make` really run?
    arguments     Which words are options, values of options and operands?
    toolfiles     Which words name files that a command writes, makes, reads or runs?
    streams       Does a command read its standard input to the end, or may it leave early?
    demanding     Does a command fail by itself when what it reads is empty or cut off?
    fallible      Can a command's status say that the work in it failed?
    one_liners    May a sed, awk, perl or ruby program stop before its input ends?
    tools         What does the table of tools (`tools.txt`) know about a command?

Statuses
    consumers     Who looks at a command's status?
    reasons       Why does a command's failure have its fate, and where does the status die?
    reaching      Which commands' status can `$?` hold when a command begins?
    overwritten   Which `$?` can only hold a helper's status, although a job ran before?
    messages      Which `exit` without a status hands on that of a message about a failure?
    negations     Which `$?` can only hold the 0 or 1 that `!` made of a status?
    declared      Which `local v=$(job)` replaces the status of a job that somebody relies on?
    trap_ends     Which EXIT trap ends the script with a status of its own?
    statuses      Which `$?` doesn't hold the status that it is read for?
    bare_waits    Which `wait` without operands stands for jobs whose status nobody gets?
    dead_checks   Which tests of `$?` can never see a failure, because errexit would have ended the script before?
    and_lists     Which `&&` lists let the script go on under errexit although work in them has failed?
    pipelines     Which pipelines hide the failure of a job?
    relevance     Does it matter that a pipeline hides it?
    recorded      Is what the script prints compared with a recorded output?

Files
    paths         Which files does the script write, run and look at?
    lookups       Which commands have to do with this path?
    evidence      Which jobs write a file that nothing looks at, nor at their status?
    redirection_order  Where does `2>&1` stand before the redirection that it is meant to follow?
    exports       Does a later program get a path, or its folder, in its environment?
    origins       Is this program run from a place that is wiped, and did the script put it there?

Where fixes go
    insertion     Where can a command be put so that it runs just before another?
    strictness    Where does the script set its options, and where would another one go?
"""
