"""`python -m moot.cli.ward`: a worker starts it for debates in quarantine; people never need it.

Its standard input is the socket by which the worker asks for children (`moot.engine.ward`).
"""

from __future__ import annotations

import gc
import os
import socket


def main() -> None:
    from moot.cli.logs import set_up_logs
    from moot.engine.ward import Ward
    from moot.settings import load_settings
    from moot.wiring import load_all, open_alone

    asking = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - its number is wanted, for children
        os.dup2(nothing.fileno(), 0)
    settings = load_settings()
    set_up_logs(is_shown=True)
    load_all(settings)
    gc.freeze()  # so that children do not copy what none of them changes
    Ward(asking, lambda: open_alone(settings)).serve()


if __name__ == "__main__":
    main()
