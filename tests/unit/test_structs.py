"""Two threads that read a type for the first time must find it ready: msgspec would crash."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import get_args

import msgspec

import moot
from moot.engine.ward import Told, Wish
from moot.protocol.events import AnyEvent
from moot.protocol.outcomes import Outcome
from moot.structs import stamp

SOURCES = sorted(Path(moot.__file__).parent.rglob("*.py"))
READERS = {"convert": 1, "decode": None}
"""What reads a type, and where it is if not named `type`."""
CHOSEN = {"kind"}
"""A type that is an argument: the settings of a format (`protocol.registry` makes them ready), and
the lines of a log (`engine.importing`), and what formats show (`protocol.checker`)."""
NO_STRUCTS = {"dict", "str"}

CRASHING = """
import sys, threading, msgspec
from moot.structs import ready
sys.setswitchinterval(1e-6)
for _ in range(200):
    made = {"msgspec": msgspec}
    for n in range(8):
        inside = f"T{n - 1}" if n else "int"
        fields = "".join(f"    f{k}: list[{inside}] | None = None\\n" for k in range(6))
        exec(f"class T{n}(msgspec.Struct):\\n{fields}", made)
    ready(made["T7"])
    start = threading.Barrier(4)
    def read():
        start.wait()
        msgspec.convert({"f0": [{"f1": []}]}, made["T7"])
    threads = [threading.Thread(target=read) for _ in range(4)]
    [one.start() for one in threads]
    [one.join() for one in threads]
"""


def test_every_type_that_is_read_is_ready() -> None:
    made_ready = {name for path in SOURCES for name in _made_ready(path)}
    for union in (AnyEvent, Outcome, Told, Wish):
        made_ready |= {kind.__name__ for kind in get_args(union)}
    read = {(path.name, name) for path in SOURCES for name in _read(path)}
    assert len(read) > 10
    missing = {one for one in read if one[1] not in made_ready | CHOSEN | NO_STRUCTS}
    assert not missing, "call `moot.structs.ready` with it where it is defined"


def test_what_is_ready_can_be_read_by_threads_at_once() -> None:
    subprocess.run([sys.executable, "-c", CRASHING], check=True, timeout=60)


@cache
def _calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _made_ready(path: Path) -> Iterator[str]:
    for call in _calls(path):
        if _called(call) in ("ready", "Decoder"):
            yield from map(_named, call.args)


def _read(path: Path) -> Iterator[str]:
    for call in _calls(path):
        if _called(call) not in READERS or not ast.unparse(call.func).startswith("msgspec."):
            continue
        at = READERS[_called(call)]
        given = [one.value for one in call.keywords if one.arg == "type"]
        if at is not None and len(call.args) > at:
            given.append(call.args[at])
        yield from map(_named, given)


def _named(kind: ast.expr) -> str:
    """`Outcome`, `e.AnyEvent` and `dict[str, Any]` by their last or outer name, `list[Turn]` by
    what is in it."""
    match kind:
        case ast.Subscript(value=ast.Name(id="list"), slice=inner):
            return _named(inner)
        case ast.Subscript(value=inner):
            return _named(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def test_a_moment_is_written_as_all_json_has_it() -> None:
    moment = datetime(2026, 11, 15, 12, 30, 59, 120_000, tzinfo=timezone(timedelta(hours=2)))
    assert stamp(moment) == "2026-11-15T10:30:59.120000Z"
    assert msgspec.json.encode(moment.astimezone(UTC)) == f'"{stamp(moment)}"'.encode()
