"""Which files a debate gets: those that were named, and those in a directory that was named.

What was named and cannot be had is an error. In a directory, what is no readable text is left out
and told of; more of it than a debate may have is an error too, for nobody could say which part the
models would know.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from moot.context.opening import (
    Unfit,
    check_system,
    opened_directory,
    opened_root,
    parts_below,
    read_text,
    shown,
)
from moot.engine.attaching import MAX_FILES, MAX_TOTAL_BYTES, File, name_problem
from moot.errors import InvalidInput

MAX_ENTRIES = 5000
"""Files and directories that are looked at, whatever they are."""
MAX_DEPTH = 20
MOST_TOLD = 20
"""Names in what is told of those left out."""


class Found(msgspec.Struct, kw_only=True):
    """What was read; `left_out` has names with reasons, `hidden` is how many were passed over."""

    files: list[File] = []
    left_out: list[str] = []
    hidden: int = 0

    def told(self) -> str:
        """What a person must know of what is missing; "" if nothing is."""
        named = self.left_out[:MOST_TOLD]
        if len(self.left_out) > MOST_TOLD:
            named.append(f"and {len(self.left_out) - MOST_TOLD} more")
        if self.hidden:
            named.append(f"hidden ones ({self.hidden})")
        return "Left out of the files: " + "; ".join(named) if named else ""


def read_context(root: Path, *, directory: str = "", attach: Sequence[str] = ()) -> Found:
    """The files. Blocks. Raises InvalidInput if something that was named cannot be had."""
    found = Found()
    if not directory and not attach:
        return found
    check_system()
    with opened_root(root) as top:
        for given in attach:
            _add(found, _named(root, top, given))
        if directory:
            _read_directory(found, root, top, directory)
    return found


def _named(root: Path, top: int, given: str) -> File:
    *above, name = parts_below(root, given, field="attach") or [""]
    path = "/".join([*above, name])
    if not name or name_problem(path):
        problem = name_problem(path) if name else "is a directory; give it as the context"
        raise InvalidInput(f"{shown(given)}: {problem}", field="attach")  # noqa: EM102
    try:
        with opened_directory(top, above) as directory:
            return File(path, read_text(directory, name))
    except Unfit as reason:
        message = f"{shown(given)} {reason}"
        raise InvalidInput(message, field="attach") from None


def _read_directory(found: Found, root: Path, top: int, given: str) -> None:
    field = "context_directory"
    steps = parts_below(root, given, field=field)
    walk = _Walk(found)
    try:
        with opened_directory(top, steps) as directory:
            for file in walk.files(directory, ()):
                _add(found, file)
    except Unfit as reason:
        message = f"{shown(given)} {reason}"
        raise InvalidInput(message, field=field) from None


def _add(found: Found, file: File) -> None:
    if any(file == one for one in found.files):
        return  # named, and in the directory too
    found.files.append(file)
    size = sum(len(one.content.encode()) for one in found.files)
    if len(found.files) > MAX_FILES or size > MAX_TOTAL_BYTES:
        message = (
            f"more than {MAX_FILES} files or {MAX_TOTAL_BYTES:,} bytes of text: "
            "name a smaller directory, or attach single files"
        )
        raise InvalidInput(message, field="context_directory")


class _Walk:
    """A directory and all below it, in the order of their names."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._seen = 0

    def files(self, directory: int, above: tuple[str, ...]) -> Iterator[File]:
        for entry in self._entries(directory):
            path = "/".join((*above, entry.name))
            try:
                if problem := name_problem(path):
                    message = f"has a name that will not do: it {problem}"
                    raise Unfit(message)  # noqa: TRY301
                if entry.is_dir(follow_symlinks=False):
                    yield from self._inner(directory, entry.name, above)
                else:
                    yield File(path, read_text(directory, entry.name))
            except Unfit as reason:
                self._found.left_out.append(f"{shown(path)} {reason}")

    def _inner(self, directory: int, name: str, above: tuple[str, ...]) -> Iterator[File]:
        if len(above) + 1 >= MAX_DEPTH:
            message = f"is more than {MAX_DEPTH} directories deep"
            raise Unfit(message)
        with opened_directory(directory, [name]) as inner:
            yield from self.files(inner, (*above, name))

    def _entries(self, directory: int) -> list[os.DirEntry[str]]:
        kept: list[os.DirEntry[str]] = []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self._count()
                    if entry.name.startswith("."):
                        self._found.hidden += 1
                    else:
                        kept.append(entry)
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            raise Unfit(message) from None
        return sorted(kept, key=lambda entry: entry.name)

    def _count(self) -> None:
        self._seen += 1
        if self._seen > MAX_ENTRIES:
            message = f"has more than {MAX_ENTRIES:,} files and directories: name a smaller one"
            raise InvalidInput(message, field="context_directory")
