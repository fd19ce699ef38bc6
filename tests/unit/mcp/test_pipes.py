"""Standard input and output as lines, in a process whose own are pipes."""

from __future__ import annotations

import subprocess
import sys

ECHO = """
import asyncio
from moot.mcp.pipes import Pipes

async def main():
    pipes = Pipes()
    print("not for the wire")
    async for line in pipes:
        await pipes.write(f"{len(line)} {line[:3]}\\n")

asyncio.run(main())
"""


def test_lines_come_whole_however_long_they_are_and_nothing_else_goes_out() -> None:
    lines = ["", "é" * 300_000, "{}", "x" * 65_536, "y" * 65_535]
    sent = "".join(f"{line}\n" for line in lines).encode() + b"\xff\n" + b"no end"
    done = subprocess.run(
        [sys.executable, "-c", ECHO], input=sent, capture_output=True, timeout=60, check=True
    )
    told = [f"{len(line)} {line[:3]}" for line in [*lines, "\ufffd"]]
    assert done.stdout.decode().splitlines() == told
    assert done.stderr.decode().strip() == "not for the wire"
