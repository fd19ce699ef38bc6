"""The library: personas that a debate file, a command or a page can use by their name.

Three shelves, looked through in this order: the user's own, the general ones, those of the shipped
debates. A user's file that cannot be read is an error and never silently left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from moot.definitions import shipped
from moot.definitions.document import Document
from moot.definitions.explain import validate
from moot.definitions.schema import DebateFile, LibrarySpec, PersonasFile, PersonaSpec
from moot.definitions.values import LibraryPersona
from moot.definitions.yaml_file import read
from moot.errors import NotFound
from moot.protocol.names import NAME_MAX, find_clash, fold_name
from moot.protocol.words import Role

GENERAL = "general"
USER_FILES_MAX = 500


def library(directory: Path | None = None) -> tuple[LibraryPersona, ...]:
    """Every persona there is; `directory` has the user's own as *.yaml."""
    return tuple(_shelves(directory))


def _shelves(directory: Path | None) -> Iterator[LibraryPersona]:
    # One after the other: the shipped debates take a while to read, and are seldom needed.
    yield from own(directory)
    yield from general()
    yield from of_debates()


def find(name: str, directory: Path | None = None) -> LibraryPersona:
    """The persona of that name, ignoring case and punctuation; raises NotFound with close names."""
    wanted = fold_name(name)
    for entry in _shelves(directory):
        if fold_name(entry.persona.name) == wanted:
            return entry
    raise NotFound(_missing(name, [entry.persona.name for entry in library(directory)]))


def _missing(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(close)}?" if close else "`moot personas` lists them all"
    return f"there is no persona called {name[:NAME_MAX]}; {hint}"


@cache
def general() -> tuple[LibraryPersona, ...]:
    """The shipped personas that fit any topic."""
    return _listed(shipped.personas(), GENERAL)


@cache
def of_debates() -> tuple[LibraryPersona, ...]:
    """The personas of the shipped debates; the origin is the name of the debate."""
    return tuple(
        entry
        for name in shipped.names()
        for entry in _of_debate(validate(shipped.debate(name), DebateFile), name)
    )


def _of_debate(file: DebateFile, origin: str) -> list[LibraryPersona]:
    debaters: list[PersonaSpec] = [*(file.debaters or []), *(file.pro or []), *(file.con or [])]
    judges = [*(file.audience or []), *([file.judge] if file.judge else [])]
    return [
        *(_entry(spec, Role.DEBATER, origin) for spec in debaters),
        *(_entry(spec, Role.JUDGE, origin) for spec in judges),
    ]


def own(directory: Path | None) -> tuple[LibraryPersona, ...]:
    """The user's personas, by file name; none if the directory is not there."""
    if directory is None or not directory.is_dir():
        return ()
    paths = sorted(path for path in directory.glob("*.yaml") if not path.name.startswith("."))
    if len(paths) > USER_FILES_MAX:
        reason = f"has more than {USER_FILES_MAX} files"
        raise Document(data=None, source=str(directory)).error((), reason)
    # Links are not followed: a persona is shown to models, and a link can point anywhere.
    return tuple(e for path in paths for e in _listed(read(path, follow_links=False), str(path)))


def _listed(document: Document, origin: str) -> tuple[LibraryPersona, ...]:
    """A file holds either one persona, or several under `personas:`."""
    if isinstance(document.data, dict) and "personas" in document.data:
        specs = validate(document, PersonasFile).personas
    else:
        specs = [validate(document, LibrarySpec)]
    clash = find_clash([spec.name for spec in specs])
    if clash:
        first, second = (specs[index].name for index in clash)
        raise document.error(("personas", clash[1], "name"), f"{second} is too like {first}")
    return tuple(_entry(spec, Role(spec.role), origin) for spec in specs)


def _entry(spec: PersonaSpec, role: Role, origin: str) -> LibraryPersona:
    return LibraryPersona(persona=spec.persona(), role=role, origin=origin)
