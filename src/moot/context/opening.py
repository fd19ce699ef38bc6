"""Opens directories and files one step at a time, from the directory above, following no link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from moot.engine.attaching import MAX_FILE_BYTES
from moot.errors import InvalidInput

# Zero where a system does not have them; `can_read` refuses those that matter.
_CLOSED = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK | _CLOSED
# Not blocking, should a pipe have been put in the place of a file since we looked at it.
_FILE = os.O_RDONLY | _NO_LINK | _CLOSED | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class Unfit(Exception):
    """Why a file is left out, in words that follow its name."""


def check_system() -> None:
    """Raises InvalidInput where files cannot be opened safely."""
    if not _NO_LINK or os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd:
        message = "this system cannot read files safely; send their text as attachments over HTTP"
        raise InvalidInput(message, field="context_directory")


def parts_below(root: Path, given: str, *, field: str) -> list[str]:
    """The steps that lead from `root` to `given`. Raises InvalidInput if they lead out of it."""
    path = Path(os.path.normpath(given or "."))
    if "\0" in given:
        message = "has a NUL character in it"
        raise InvalidInput(message, field=field)
    if path.is_absolute():
        homes = (Path(os.path.normpath(root.absolute())), root.resolve())
        inside = next((home for home in homes if path.is_relative_to(home)), None)
        if inside is None:
            raise _outside(given, field)
        path = path.relative_to(inside)
    if ".." in path.parts:
        raise _outside(given, field)
    return list(path.parts)


def _outside(given: str, field: str) -> InvalidInput:
    message = (
        f"{shown(given)} is not below the directory that may be read; "
        "MOOT_CONTEXT_ROOT says which that is"
    )
    return InvalidInput(message, field=field)


@contextmanager
def opened_root(root: Path) -> Iterator[int]:
    """The directory that the operator named; what leads to it is the operator's business."""
    try:
        descriptor = os.open(root.resolve(strict=True), _DIRECTORY)
    except OSError as error:
        message = f"{root} cannot be read: {error.strerror}"
        raise InvalidInput(message, field="MOOT_CONTEXT_ROOT") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_directory(above: int, steps: Sequence[str]) -> Iterator[int]:
    """A directory below another. Raises Unfit if one of the steps is a link or no directory."""
    descriptor = os.dup(above)
    try:
        for step in steps:
            inner = _open_directory(descriptor, step)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _open_directory(above: int, name: str) -> int:
    try:
        if stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
            message = "is a link, and links are not followed"
            raise Unfit(message)
        return os.open(name, _DIRECTORY, dir_fd=above)
    except NotADirectoryError:
        message = "is no directory"
        raise Unfit(message) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise Unfit(message) from None


def read_text(above: int, name: str) -> str:
    """The text of a file. Raises Unfit for whatever is no regular file with text in it."""
    try:
        # Looked at before it is opened: opening a device may already do something.
        _check_regular(os.stat(name, dir_fd=above, follow_symlinks=False))
        with os.fdopen(os.open(name, _FILE, dir_fd=above), "rb") as file:
            _check_regular(os.fstat(file.fileno()))
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise Unfit(message) from None
    if len(data) > MAX_FILE_BYTES:
        message = f"is larger than {MAX_FILE_BYTES:,} bytes"
        raise Unfit(message)
    return _decoded(data)


def _check_regular(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        message = "is a link, and links are not followed"
        raise Unfit(message)
    if not stat.S_ISREG(found.st_mode):
        message = "is no regular file"
        raise Unfit(message)


def _decoded(data: bytes) -> str:
    if b"\0" in data:
        message = "is not text"
        raise Unfit(message)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = "is not text in UTF-8"
        raise Unfit(message) from None


def shown(name: str) -> str:
    """A name from the disk, safe to print: what cannot be seen is spelt out."""
    safe = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in name)
    return f"{safe[:100]}…" if len(safe) > 100 else safe  # noqa: PLR2004 - what fits on a line
