"""How the user's own files are written: whole or not at all, by one writer at a time.

They are files that people edit too, so comments, order and quotes stay as they are.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from moot.errors import Refused

Style = Callable[[str], str]

LOCK = ".lock"
_WIDTH = 98


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Nobody else who asks may write to the folder meanwhile; it is made if it is not there.

    Raises Refused, without a word about paths, if the disk does not let us write.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(directory / LOCK, flags, 0o600)
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)  # which lets go of the lock, as the end of the process does
    except OSError as error:
        message = f"your personas cannot be written: {error.strerror or error}"
        raise Refused(message) from error


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def write(path: Path, text: str) -> None:
    """Put `text` into the file, for its owner only; a reader finds the old text or the new."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    _sync(path.parent)


def remove(path: Path) -> None:
    path.unlink()
    _sync(path.parent)


def _sync(directory: Path) -> None:
    """A rename is on disk when its folder is."""
    if sys.platform == "win32":  # folders cannot be opened there
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- YAML with its comments ---


def load(text: str) -> Any:
    """The document as it was written. Only for text that the strict reader has taken."""
    return _yaml().load(text)


def dump(data: Any) -> str:
    out = StringIO()
    _yaml().dump(data, out)
    return out.getvalue()


def _yaml() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = _WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def update(entry: Any, fields: Mapping[str, str], before: Mapping[str, str], style: Style) -> None:
    """Write into the entry what differs from `before`, and leave the rest as it is."""
    for key, value in fields.items():
        if value == before.get(key, ""):
            continue
        if value:
            entry[key] = style(value)
        else:
            entry.pop(key, None)


def as_people_write(value: str) -> str:
    """Text of several lines as a block, a word as a word."""
    text: str = LiteralScalarString(value + "\n") if "\n" in value else value
    return text


def quoted(value: str) -> str:
    """In quotes, which can hold any text."""
    text: str = DoubleQuotedScalarString(value)
    return text


STYLES: tuple[Style, ...] = (as_people_write, quoted)
"""The first that can be read back is taken."""
