"""YAML files, read without trusting them: one regular UTF-8 file, capped while reading."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from moot.definitions.document import Document, located
from moot.definitions.nodes import Builder
from moot.errors import InvalidInput, NotFound

BYTES_MAX = 1_000_000


def read(path: Path, *, follow_links: bool = True) -> Document:
    """The file's document; raises NotFound if there is no file, InvalidInput if it is unusable."""
    return parse(read_bytes(path, follow_links=follow_links), str(path))


def read_bytes(path: Path, *, follow_links: bool = True) -> bytes:
    """What is in the file, up to a byte more than `parse` takes."""
    descriptor = _opened(path, follow_links=follow_links)
    try:
        # On the descriptor, not the path: what was checked is what is read.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise located("is not a regular file; give the path of a YAML file", str(path), None)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(BYTES_MAX + 1)
    finally:
        os.close(descriptor)


def _opened(path: Path, *, follow_links: bool) -> int:
    # Not blocking, or a named pipe would hold us before we can see what it is.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow_links:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        reason = f"{path}: there is no such file"
        raise NotFound(reason) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("cannot be opened: " + reason, source=str(path)) from error


def parse(raw: bytes, source: str | None) -> Document:
    """The one document in `raw`; raises InvalidInput with source, line and field."""
    if len(raw) > BYTES_MAX:
        raise located("is larger than 1 MB", source, None)
    text = _decoded(raw, source)
    try:
        return Builder(YAML(typ="safe", pure=True).parse(text), source).document()
    except (YAMLError, ValueError, OverflowError) as error:
        raise located("is not YAML: " + _problem(error), source, _line(error, text)) from error


def _decoded(raw: bytes, source: str | None) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise located("is not UTF-8; save it as UTF-8", source, line) from error


def _problem(error: Exception) -> str:
    match error:
        case ReaderError():
            return str(error.reason)
        case MarkedYAMLError():
            return ", ".join(str(part) for part in (error.context, error.problem) if part)
        case _:
            return str(error)


def _line(error: Exception, text: str) -> int | None:
    if isinstance(error, ReaderError):
        return text.count("\n", 0, error.position) + 1
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return mark.line + 1 if mark else None
