"""The reference of the library as Markdown, made from the docstrings themselves.

`make references` writes it to `docs/reference/python.md`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args

import msgspec

import moot

INTRODUCTION = """# Python

<!-- Made by `make references`; do not edit. -->

What `dir(moot)` lists is the API; [how to use it](../how-to/python.md) has seven short programs.
`moot.sync` has the same verbs without `await`: `moot.sync.open`, `moot.sync.Moot` and
`moot.sync.Debate`.
`moot.__version__` is the version of the package.
"""

GROUPS = {
    "Open it": ("open", "Moot", "ModelFunction", "Messages"),
    "A debate": ("Debate", "Answer", "DebateRow", "Seat"),
    "What can be asked": ("Panel",),
    "What was found": ("FoundDebate", "Hit", "Piece"),
    "Who takes part": ("Participant", "Persona"),
    "What it ends with": (
        "Outcome",
        "Verdict",
        "Summary",
        "Solution",
        "Certificate",
        "ExamReport",
        "OutcomeStatus",
        "CertificateStatus",
    ),
    "What it is made of": ("TurnRecorded", "Recorded", "TextWritten"),
    "Words": ("Status", "Pacing", "Role", "Stance", "StepKind"),
    "Errors": tuple(
        name
        for name in moot.__all__
        if inspect.isclass(getattr(moot, name)) and issubclass(getattr(moot, name), Exception)
    ),
}
"""Every name of the API but `sync` and `__version__`, which the introduction has; a test checks."""

ALIASES = {
    "ModelFunction": """\
Any callable `(messages) -> str`, an `async` one, or a generator of text of either kind; see `open`.
""",
    "Messages": """\
`list[dict[str, str]]`: what a model is asked. Each has `role`, which is `system`, `user` or
`assistant`, and `content`. There is one `system` message, first; then `user` and `assistant` take
turns, and the last is from `user`.
""",
}


def reference() -> str:
    parts = [INTRODUCTION]
    for title, names in GROUPS.items():
        parts += [f"## {title}\n", *(_section(name) for name in names)]
    return "\n".join(parts)


def _section(name: str) -> str:
    return "\n".join([f"### moot.{name}\n", *_described(name, getattr(moot, name))])


def _described(name: str, found: Any) -> Iterator[str]:
    if name in ALIASES:
        yield ALIASES[name]
    elif not inspect.isclass(found) and get_args(found):
        yield " or ".join(f"`{one.__name__}`" for one in get_args(found)) + ".\n"
    elif not inspect.isclass(found):
        yield _code(f"moot.{name}{_signature(found)}")
        yield _doc(found)
    elif issubclass(found, Enum):
        yield _doc(found)
        yield ", ".join(f"`{one.value}`" for one in found) + ".\n"
    elif issubclass(found, msgspec.Struct):
        yield _doc(found)
        yield _code("\n".join(_fields(found)))
    elif issubclass(found, Exception):
        base = found.__bases__[0]
        yield _doc(found) + (f"\nA kind of `{base.__name__}`.\n" if base is not Exception else "")
    else:
        yield _doc(found)
        yield from _members(found)


def _members(found: type) -> Iterator[str]:
    for name, member in vars(found).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            kind = inspect.signature(member.fget).return_annotation if member.fget else ""
            yield f"#### .{name}\n"
            yield _code(f"{name}: {kind}")
            yield _doc(member)
        elif inspect.isfunction(member):
            is_async = inspect.iscoroutinefunction(member)
            yield f"#### .{name}()\n"
            yield _code(f"{'await ' if is_async else ''}{name}{_signature(member)}")
            yield _doc(member)


def _fields(found: type[msgspec.Struct]) -> Iterator[str]:
    for field in msgspec.structs.fields(found):
        kind = next(
            one.__annotations__[field.name]
            for one in found.__mro__
            if field.name in getattr(one, "__annotations__", {})
        )
        is_bare = field.default is msgspec.NODEFAULT
        default = "" if is_bare else f" = {_written(field.default)}"
        yield f"{field.name}: {kind}{default}"


def _written(value: object) -> str:
    return repr(value.value) if isinstance(value, Enum) else repr(value)


def _signature(function: Any) -> str:
    """The signature as it was written, without `self`."""
    signature = inspect.signature(function)
    written: list[str] = []
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        stars = "**" if one.kind is one.VAR_KEYWORD else ""
        default = "" if one.default is one.empty else f" = {one.default!r}"
        written.append(f"{stars}{one.name}: {one.annotation}{default}")
    given = ", ".join(one for one in written if not one.startswith("self: "))
    return f"({given}) -> {signature.return_annotation}"


def _code(text: str) -> str:
    return f"```text\n{text}\n```\n"


def _doc(found: Any) -> str:
    # Only the class's own docstring: that of a base is about the base.
    own = inspect.cleandoc(vars(found).get("__doc__") or "") if inspect.isclass(found) else ""
    return (own or (inspect.getdoc(found) or "" if not inspect.isclass(found) else "")) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
