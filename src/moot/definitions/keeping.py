"""How the user's own files are written: whole or not at all, by one writer at a time.

They are files that people edit too, so comments, order and quotes stay as they are.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from moot.errors import InvalidInput, Refused
from moot.protocol.names import slug

Style = Callable[[str], str]

LOCK = ".lock"
SUFFIX = ".yaml"
PLAIN = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""A name that can be the name of a file without any change."""
UNWRITABLE = "cannot be written as YAML; remove unusual characters"
_WIDTH = 98


@contextmanager
def locked(directory: Path, what: str) -> Iterator[None]:
    """While inside, nobody else who takes the lock can write to the folder, which is created if
    needed.

    `what` says what is in the folder, such as `personas`.

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
        message = f"your {what} cannot be written: {error.strerror or error}"
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


def add(directory: Path, texts: Sequence[tuple[str, str]], *, most: int, what: str) -> None:
    """Write each text to a new file, named after the name that comes with the text.

    Raises Refused if there would be more than `most`.
    """
    there = [path.name.casefold() for path in directory.iterdir()]
    if sum(name.endswith(SUFFIX) for name in there) + len(texts) > most:
        message = f"there can be at most {most} {what} files; remove some first"
        raise Refused(message)
    # All files count, not only those that are read, and case does not: some disks ignore it.
    taken = {name.removesuffix(SUFFIX) for name in there}
    for name, text in texts:
        stem = name if PLAIN.fullmatch(name) and name not in taken else slug(name, taken)
        taken.add(stem)
        write(directory / f"{stem}{SUFFIX}", text)


def check_unchanged(before: str | None, now: str | None) -> None:
    """Raises Refused if the file has changed since somebody began to edit it; None is no file."""
    if before != now:
        raise Refused("somebody else has just changed the file, so nothing was written; try again")


def remove(path: Path) -> None:
    path.unlink()
    _sync(path.parent)


def _sync(directory: Path) -> None:
    """Write the folder to disk: only then is a rename in it on disk, too."""
    if sys.platform == "win32":  # folders cannot be opened there
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- YAML with its comments ---


def load(text: str) -> Any:
    """The document with its comments. Only for text that the strict reader has accepted."""
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


def written(
    make: Callable[[Style], str],
    is_right: Callable[[str], bool],
    styles: Sequence[Style] | None = None,
) -> str:
    """The text in the first style in which it is read back as meant. Raises InvalidInput if there
    is none."""
    for style in styles or STYLES:
        text = make(style)
        if is_right(text):
            return text
    raise InvalidInput(UNWRITABLE)


def update(entry: Any, after: Mapping[str, Any], before: Mapping[str, Any], style: Style) -> None:
    """Write into the entry what differs from `before`, and leave the rest as it is."""
    for key in before.keys() - after.keys():
        entry.pop(key, None)
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict) and old:
            update(entry[key], value, old, style)
        elif key not in before or value != old:
            entry[key] = styled(value, style)


def styled(value: Any, style: Style) -> Any:
    """The value with every text in it as that style writes it."""
    match value:
        case str():
            return style(value)
        case dict():
            return {key: styled(one, style) for key, one in value.items()}
        case list() | tuple():
            return [styled(one, style) for one in value]
        case _:
            return value


def as_people_write(value: str) -> str:
    """A text of several lines as a block, a single line as it is."""
    text: str = LiteralScalarString(value + "\n") if "\n" in value else value
    return text


def exactly(value: str) -> str:
    """The same, but exact to the last line break."""
    text: str = LiteralScalarString(value) if "\n" in value else value
    return text


def quoted(value: str) -> str:
    """In quotes, which can hold any text."""
    text: str = DoubleQuotedScalarString(value)
    return text


STYLES: tuple[Style, ...] = (as_people_write, quoted)
EXACT: tuple[Style, ...] = (exactly, quoted)
"""The first style that can be read back is taken; EXACT is for texts whose outer blanks matter."""
