"""Files for a debate, read from the disk: below one root, and nothing but text.

Whoever names a path is not trusted with more than that root. No link is followed, in any position;
every directory is opened from the one above it, so that nothing can be swapped between a look and
the opening; and only regular files are opened at all.

A named file that cannot be had is an error. In a directory, what is not readable text is left out,
and people are told; more text than a debate may have is an error too, for nobody could say which
part the models would know. Files whose names suggest secrets are refused, or left out, likewise: a
slip would send keys to every provider of the debate.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from moot.engine.attaching import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    File,
    is_secret,
    name_problem,
    secret_refusal,
)
from moot.errors import InvalidInput

MAX_ENTRIES = 5000
"""How many files and directories are looked at, of any kind."""
MAX_DEPTH = 20
MOST_TOLD = 20
MOST_SHOWN = 100
"""Of what is left out, MOST_TOLD names are told, with this many characters of each at most."""


class Found(msgspec.Struct, kw_only=True):
    """What was read; `left_out` has names with reasons, `hidden` counts hidden ones passed over."""

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


def read_context(
    root: Path,
    *,
    directory: str = "",
    attach: Sequence[str] = (),
    allows_secrets: bool = False,
) -> Found:
    """The files. Blocks. Raises InvalidInput if something that was named cannot be had."""
    found = Found()
    if not directory and not attach:
        return found
    _check_system()
    with _opened_root(root) as top:
        for given in attach:
            if not allows_secrets:
                _check_secret(root, given)
            _add(found, _named(root, top, given))
        if directory:
            _read_directory(found, root, top, directory, allows_secrets=allows_secrets)
    return found


def _check_secret(root: Path, given: str) -> None:
    """Raises InvalidInput for a file with secrets; directories above the root may make it one."""
    parts = _parts_below(root, given, field="attach")
    if is_secret("/".join([*root.resolve().parts, *parts])):
        raise InvalidInput(secret_refusal(_shown(given)), field="attach")


def _named(root: Path, top: int, given: str) -> File:
    *above, name = _parts_below(root, given, field="attach") or [""]
    path = "/".join([*above, name])
    if not name or name_problem(path):
        problem = name_problem(path) if name else "is a directory; use --context for it"
        raise InvalidInput(f"{_shown(given)}: {problem}", field="attach")  # noqa: EM102
    try:
        with _opened_directory(top, above) as directory:
            return File(path, _read_text(directory, name))
    except _Unfit as reason:
        message = f"{_shown(given)} {reason}"
        raise InvalidInput(message, field="attach") from None


def _read_directory(
    found: Found, root: Path, top: int, given: str, *, allows_secrets: bool
) -> None:
    field = "context_directory"
    steps = _parts_below(root, given, field=field)
    walk = _Walk(found, None if allows_secrets else [*root.resolve().parts, *steps])
    try:
        with _opened_directory(top, steps) as directory:
            for file in walk.files(directory, ()):
                _add(found, file)
    except _Unfit as reason:
        message = f"{_shown(given)} {reason}"
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

    def __init__(self, found: Found, place: Sequence[str] | None) -> None:
        """`place` is where the directory is; None if files with secrets are wanted too."""
        self._found = found
        self._place = place
        self._seen = 0

    def files(self, directory: int, above: tuple[str, ...]) -> Iterator[File]:
        for entry in self._entries(directory):
            path = "/".join((*above, entry.name))
            try:
                if problem := name_problem(path):
                    message = f"has a name that will not do: it {problem}"
                    raise _Unfit(message)  # noqa: TRY301
                if entry.is_dir(follow_symlinks=False):
                    yield from self._inner(directory, entry.name, above)
                else:
                    self._check_secret(path)
                    yield File(path, _read_text(directory, entry.name))
            except _Unfit as reason:
                self._found.left_out.append(f"{_shown(path)} {reason}")

    def _check_secret(self, path: str) -> None:
        if self._place is not None and is_secret("/".join([*self._place, path])):
            message = "may hold a secret (--allow-secret-files takes it)"
            raise _Unfit(message)

    def _inner(self, directory: int, name: str, above: tuple[str, ...]) -> Iterator[File]:
        if len(above) + 1 >= MAX_DEPTH:
            message = f"is more than {MAX_DEPTH} directories deep"
            raise _Unfit(message)
        with _opened_directory(directory, [name]) as inner:
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
            raise _Unfit(message) from None
        return sorted(kept, key=lambda entry: entry.name)

    def _count(self) -> None:
        self._seen += 1
        if self._seen > MAX_ENTRIES:
            message = f"has more than {MAX_ENTRIES:,} files and directories: name a smaller one"
            raise InvalidInput(message, field="context_directory")


# --- opened one step at a time, from the directory above ------------------------------------------


# Zero where a system does not have them; `_check_system` refuses those that matter.
_CLOSED = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK | _CLOSED
# Not blocking, in case a pipe was put in the place of a file since we looked at it.
_FILE = os.O_RDONLY | _NO_LINK | _CLOSED | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class _Unfit(Exception):
    """Why a file is left out, in words that follow its name."""


def _check_system() -> None:
    """Raises InvalidInput where files cannot be opened safely."""
    if not _NO_LINK or os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd:
        message = "this system cannot read files safely; send their text as attachments over HTTP"
        raise InvalidInput(message, field="context_directory")


def _parts_below(root: Path, given: str, *, field: str) -> list[str]:
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
        f"{_shown(given)} is outside the directory that Moot may read; "
        "MOOT_CONTEXT_ROOT sets that directory"
    )
    return InvalidInput(message, field=field)


@contextmanager
def _opened_root(root: Path) -> Iterator[int]:
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
def _opened_directory(above: int, steps: Sequence[str]) -> Iterator[int]:
    """A directory below another. Raises _Unfit if one of the steps is a link or no directory."""
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
            raise _Unfit(message)
        return os.open(name, _DIRECTORY, dir_fd=above)
    except NotADirectoryError:
        message = "is no directory"
        raise _Unfit(message) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise _Unfit(message) from None


def _read_text(above: int, name: str) -> str:
    """The text of a file. Raises _Unfit for whatever is no regular file with text in it."""
    try:
        # Looked at before it is opened: opening a device may already do something.
        _check_regular(os.stat(name, dir_fd=above, follow_symlinks=False))
        with os.fdopen(os.open(name, _FILE, dir_fd=above), "rb") as file:
            _check_regular(os.fstat(file.fileno()))
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise _Unfit(message) from None
    if len(data) > MAX_FILE_BYTES:
        message = f"is larger than {MAX_FILE_BYTES:,} bytes"
        raise _Unfit(message)
    return _decoded(data)


def _check_regular(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        message = "is a link, and links are not followed"
        raise _Unfit(message)
    if not stat.S_ISREG(found.st_mode):
        message = "is not a regular file"
        raise _Unfit(message)


def _decoded(data: bytes) -> str:
    if b"\0" in data:
        message = "is not text"
        raise _Unfit(message)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = "is not text in UTF-8"
        raise _Unfit(message) from None


def _shown(name: str) -> str:
    """A name from the disk, safe to print: what cannot be seen is spelt out."""
    safe = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in name)
    # As much as fits on a line: it is the end that tells one path from others.
    return safe if len(safe) <= MOST_SHOWN else f"…{safe[-MOST_SHOWN:]}"
