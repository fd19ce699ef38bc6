"""`-o FILE`: a document written to a file, whole or not at all.

Whether the file can be written is checked before anything is spent. An existing file is replaced,
as by other tools, and in one step: whoever reads it meanwhile sees the old text or the new, never
half of it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from moot.cli.telling import tell
from moot.errors import InvalidInput, MootError

if TYPE_CHECKING:
    from moot.wiring import System

STDOUT = "-"
OPTION = "-o"


def kind_of(path: str) -> str:
    """The kind of document that the ending of `path` stands for. Raises InvalidInput."""
    from moot import plugins
    from moot.export import EXPORTS

    plugins.load()
    endings = {one.extension: name for name, one in EXPORTS.items()}
    for ending in sorted(endings, key=len, reverse=True):
        if path.lower().endswith(ending):
            return endings[ending]
    message = f"cannot tell what to write to {path!r}: end its name with {', '.join(endings)}"
    raise InvalidInput(message, field=OPTION)


def check_output(path: str | None) -> None:
    """Raises InvalidInput if a debate could not be written to `path` once it is over."""
    if path is None:
        return
    if path == STDOUT:
        message = (
            "needs the name of a file here; standard output has the debate, or with -q the result"
        )
        raise InvalidInput(message, field=OPTION)
    check_place(path)
    kind_of(path)


def check_kind(path: str | None, format_: str) -> None:
    """Raises InvalidInput if debates of that format have no document of the kind `path` names."""
    from moot.protocol.registry import FORMATS, format_named

    if path is None:
        return
    kind, rules = kind_of(path), format_named(format_)
    makers = [one.name for one in FORMATS.values() if kind in one.documents]
    if makers and kind not in rules.documents:
        maker = " or ".join(makers)
        message = (
            f"only debates of the format {maker} have a {kind}, and this one is {format_}; "
            "use .md or .html"
        )
        raise InvalidInput(message, field=OPTION)
    if kind == "answer" and rules.is_open_ended:
        message = (
            f"a debate of the format {format_} has no outcome to write as an answer; "
            "use .md or .html"
        )
        raise InvalidInput(message, field=OPTION)


async def document(system: System, debate_id: str, kind: str) -> str:
    """The debate as a document of that kind. Raises InvalidInput or Refused if it has none."""
    from moot.export import render

    log, sources = await system.service.log_and_sources(debate_id)
    files = await system.service.files(debate_id)
    told = await system.service.certificate(debate_id)
    return render(log, kind, sources, debate_id=debate_id, files=files, certificate=told)


async def save(system: System, debate_id: str, path: str | None) -> None:
    """Write the debate to `path`, if one is given and the debate is over; say whether it was
    written."""
    if path is None:
        return
    later = f"moot export {debate_id} -o {path}"
    if not (await system.service.state(debate_id)).status.is_terminal:
        tell(f"{path} was not written: the debate is not over. Once it is: {later}", label="")
        return
    try:
        write(path, await document(system, debate_id, kind_of(path)))
    except MootError as error:
        error.add_note(
            f"the debate is kept; write it to another file with: moot export {debate_id} -o FILE"
        )
        raise
    tell_written(path)


def check_place(path: str) -> None:
    """Raises InvalidInput if no file can be written there; nothing is left behind."""
    place = _target(path)
    if place.is_dir():
        message = f"{path} is a directory; give the name of a file"
        raise InvalidInput(message, field=OPTION)
    if _is_special(place):
        return
    if not place.parent.is_dir():
        message = f"there is no directory {place.parent}; create it first"
        raise InvalidInput(message, field=OPTION)
    try:
        descriptor, name = tempfile.mkstemp(prefix=".moot-", dir=place.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    os.close(descriptor)
    Path(name).unlink()


def write(path: str, text: str) -> None:
    """Replace the file, or write it anew. Raises InvalidInput, leaving what was there."""
    place = _target(path)
    try:
        if _is_special(place):
            _fill(place, text)
        else:
            _replace(place, text)
    except OSError as error:
        raise _unwritable(path, error) from None


def tell_written(path: str) -> None:
    tell(f"written to {path}", label="")


def to_stdout(text: str) -> None:
    if sys.stdout.isatty():
        # Texts were cleaned when they came in, but only a terminal obeys what is in them.
        from moot.models.cleaning import clean_text

        text = clean_text(text, max_chars=len(text))
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def _target(path: str) -> Path:
    """The file itself, with links followed, so that a link to it stays a link."""
    return Path(os.path.realpath(Path(path).expanduser()))


def _is_special(place: Path) -> bool:
    """Whether it is a device or a named pipe, which a new file cannot replace."""
    return place.exists() and not place.is_file()


def _replace(place: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".moot-", dir=place.parent)
    os.close(descriptor)
    try:
        _fill(Path(name), text)
        Path(name).chmod(_mode(place))
        Path(name).replace(place)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _fill(place: Path, text: str) -> None:
    # Line ends are not translated: a CSV has those that its standard asks for.
    with place.open("w", encoding="utf-8", newline="") as file:
        file.write(text)


def _mode(place: Path) -> int:
    """The permissions that the file has already, or those that a new one would be given."""
    if place.exists():
        return place.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(path: str, error: OSError) -> InvalidInput:
    return InvalidInput(f"{path} cannot be written: {error.strerror}", field=OPTION)
