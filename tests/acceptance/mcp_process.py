"""`moot mcp` with a scripted model, as a process: `python -m tests.acceptance.mcp_process mcp`.

    LEDGER      a file to which each call adds the key of its step
    LATENCY     of each call, in seconds
    NOISE       whatever prints, warns and raises where a careless library would

The arguments are those of `moot`.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

from moot.cli.app import cli
from moot.cli.options import Setup
from moot.models.port import ChatRequest
from moot.testing.scripted import ScriptedModel, ScriptedModels, sensible


def script(request: ChatRequest) -> str:
    with Path(os.environ["LEDGER"]).open("a") as ledger:
        ledger.write(request.label.partition("/")[2] + "\n")
    if os.environ.get("NOISE"):
        print("noise on standard output")  # noqa: T201
        os.write(1, b"more of it\n")
        os.system("echo and of a child")  # noqa: S605
        warnings.warn("a warning", stacklevel=1)
    return sensible(request)


if __name__ == "__main__":
    model = ScriptedModel(script, latency_s=float(os.environ.get("LATENCY", "0")))
    cli.main(sys.argv[1:], obj=Setup(models=ScriptedModels(model), is_process=True))
