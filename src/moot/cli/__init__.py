"""The command line, one file per noun.

Heavy modules are imported inside the functions that use them, so that every `--help` is quick.

    app, options, exit_codes, logs          the command `moot` and what its commands share
    run, lifecycle, debates, people, room   debates: run, changed, looked at, spoken in
    formats, personas, models, keys, doctor what there is to choose from, and the setup
    judges                                  benches of judges, and what people say instead
    serve                                   processes that run debates for others
    staging                                 the request that the options describe
    output                                  `-o FILE`
    completion, complete                    scripts for completion; what completes each option
    telling                                 sentences for people
    foreground, interrupts                  a debate run or followed in this terminal; Ctrl-C
    advice                                  commands for whoever runs a debate, and what comes next
    questions, asking, lines                what a person is asked, by commands or at the terminal
    library                                 personas and panels listed, shown and changed
    view/                                   what the terminal shows of a debate
"""

from __future__ import annotations

from moot.cli.app import main

__all__ = ["main"]
