"""The command line, one file per noun.

Heavy modules are imported inside the functions that use them, so that every `--help` is quick.

    app, setup, exit_codes, options, logs   the command `moot` and what its commands share
    run, lifecycle, debates, people, room   debates: run, changed, looked at, spoken in
    formats, personas, models, keys, doctor what there is to choose from, and the setup
    serve, worker                           processes that run debates for others
    staging                                 the request that the options describe
    output                                  `-o FILE`
    completion, complete, glance            completion: scripts, what completes what, a quick look
    suggesting, naming, telling             commands mistyped, fields as options, sentences
    foreground                              a debate run or followed in this terminal
    advice                                  commands for whoever runs a debate, and what comes next
    questions, filling, asking, lines       what a person is asked, by commands or at the terminal
    library                                 personas and panels listed, shown and changed
    view/                                   what the terminal shows of a debate
    reference                               docs/reference/cli.md, made from the commands
"""

from __future__ import annotations

from moot.cli.app import main

__all__ = ["main"]
