"""The library: personas that a debate file, a command or a page can use by their name.

Three shelves, looked through in this order: the user's own, the general ones, those of the shipped
debates. A user's own takes the place of a shipped one of the same name. A user's file that cannot
be read is an error and never silently left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from moot.definitions import shipped
from moot.definitions.documents import Document, read
from moot.definitions.schema import DebateFile, LibrarySpec, PersonasFile, PersonaSpec, validate
from moot.definitions.values import Handle, LibraryPersona
from moot.errors import NotFound
from moot.protocol.names import NAME_MAX, find_clash, fold_name
from moot.protocol.words import Role

GENERAL = "general"
USER_FILES_MAX = 500
ADVICE = "`moot personas` lists them all"


def library(directory: Path | None = None) -> tuple[LibraryPersona, ...]:
    """Every persona that can be had; `directory` has the user's own as *.yaml."""
    mine = {fold_name(entry.name): entry for entry in reversed(own(directory))}
    theirs = {fold_name(entry.name): entry for entry in reversed(all_shipped())}
    replaced = (
        msgspec.structs.replace(entry, replaces=theirs[name].origin) if name in theirs else entry
        for name, entry in reversed(mine.items())
    )
    return (*replaced, *(e for e in all_shipped() if fold_name(e.name) not in mine))


def find(wanted: str, directory: Path | None = None) -> LibraryPersona:
    """The persona that is meant (see `pick`); raises NotFound with suggestions."""
    return find_among(wanted, library(directory))


def find_among(wanted: str, entries: Sequence[LibraryPersona]) -> LibraryPersona:
    """The same, for a caller that has the library at hand."""
    handles = [Handle(name=entry.name, title=_handle(entry), entry=entry) for entry in entries]
    return pick(wanted, handles, kind="persona", advice=ADVICE).entry


def _handle(entry: LibraryPersona) -> str:
    """The title, if it can stand for the name. That of a shipped debate's persona cannot: many
    others may have it."""
    return entry.title if entry.origin not in shipped.names() else ""


@cache
def all_shipped() -> tuple[LibraryPersona, ...]:
    """Everybody who comes with Moot."""
    return (*general(), *of_debates())


@cache
def general() -> tuple[LibraryPersona, ...]:
    """The shipped personas that fit any topic."""
    return tuple(entry for each in shipped.personas() for entry in listed(each, GENERAL))


@cache
def of_debates() -> tuple[LibraryPersona, ...]:
    """The personas of the shipped debates; the origin is the name of the debate."""
    return tuple(
        entry
        for name in shipped.names()
        for entry in _of_debate(validate(_written_out(shipped.debate(name)), DebateFile), name)
    )


def _written_out(document: Document) -> Document:
    """The document without the personas that it only names: they are on another shelf."""
    data: dict[str, Any] = {}
    for key, value in document.data.items():
        if isinstance(value, list):
            kept = [one for one in value if isinstance(one, dict) and "persona" not in one]
            data |= {key: kept} if kept else {}
        else:
            data[key] = value
    return msgspec.structs.replace(document, data=data)


def _of_debate(file: DebateFile, origin: str) -> Iterator[LibraryPersona]:
    for spec in (*(file.debaters or ()), *(file.pro or ()), *(file.con or ())):
        yield entry_of(spec, Role.DEBATER, origin)
    for judge in (*(file.audience or ()), *((file.judge,) if file.judge else ())):
        yield entry_of(judge, Role.JUDGE, origin)
    for one in file.participants or ():
        yield entry_of(one, Role(one.role), origin)


def own(directory: Path | None) -> tuple[LibraryPersona, ...]:
    """The user's personas, by file name; none if the directory is not there."""
    return tuple(entry for path in own_files(directory) for entry in _in_file(path))


def own_files(directory: Path | None) -> list[Path]:
    """The user's files of personas or panels, sorted. Raises InvalidInput if there are too many."""
    if directory is None or not directory.is_dir():
        return []
    paths = sorted(path for path in directory.glob("*.yaml") if not path.name.startswith("."))
    if len(paths) > USER_FILES_MAX:
        reason = f"has more than {USER_FILES_MAX} files"
        raise Document(data=None, source=str(directory)).error((), reason)
    return paths


def _in_file(path: Path) -> tuple[LibraryPersona, ...]:
    try:
        # Links are not followed: a persona is shown to models, and a link can point anywhere.
        return listed(read(path, follow_links=False), str(path))
    except NotFound:  # removed since the folder was listed
        return ()


def listed(document: Document, origin: str) -> tuple[LibraryPersona, ...]:
    """The personas in a file, which holds either one, or several under `personas:`."""
    return tuple(entry_of(spec, Role(spec.role), origin) for spec in specs_of(document))


def specs_of(document: Document) -> list[LibrarySpec]:
    """The personas in the document; raises InvalidInput with every mistake in it."""
    if isinstance(document.data, dict) and "personas" in document.data:
        specs = validate(document, PersonasFile).personas
    else:
        specs = [validate(document, LibrarySpec)]
    clash = find_clash([spec.name for spec in specs])
    if clash:
        first, second = (specs[index].name for index in clash)
        raise document.error(
            ("personas", clash[1], "name"),
            f"{second} looks too much like {first}; change one of them",
        )
    return specs


def entry_of(spec: PersonaSpec, role: Role, origin: str) -> LibraryPersona:
    return LibraryPersona(persona=spec.persona(), role=role, origin=origin)


def is_own(entry: LibraryPersona) -> bool:
    return entry.origin != GENERAL and entry.origin not in shipped.names()


# --- who is meant: by name, by title, or by the beginning of either -------------------------------


SHOWN_MAX = 5
_ARTICLE = "the "


class Called(Protocol):
    """Somebody with a name and a title, which may be empty: a persona or a participant."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...


One = TypeVar("One", bound=Called)


def pick(wanted: str, among: Sequence[One], *, kind: str, advice: str) -> One:
    """The one of that exact name, else of that title, else the only one whose name or title begins
    so.

    Case and punctuation do not matter. If several fit, the first of `among` is taken if all have
    the same name, and nobody if they do not. Raises NotFound with suggestions.
    """
    folded = fold_name(wanted)
    for fits in _WAYS if folded else ():
        found = [one for one in among if fits(one, folded)]
        if len({fold_name(one.name) for one in found}) > 1:
            raise NotFound(_several(wanted, found))
        if found:
            return found[0]
    raise NotFound(_missing(wanted, among, kind=kind, advice=advice))


def _is_named(one: Called, folded: str) -> bool:
    return fold_name(one.name) == folded


def _is_titled(one: Called, folded: str) -> bool:
    return folded in _titles(one)


def _begins(one: Called, folded: str) -> bool:
    return any(form.startswith(folded) for form in (fold_name(one.name), *_titles(one)))


_WAYS: Sequence[Callable[[Called, str], bool]] = (_is_named, _is_titled, _begins)


def _titles(one: Called) -> Iterator[str]:
    """The title as it is compared: `The Surgeon` is called `surgeon` too."""
    if one.title:
        yield fold_name(one.title)
        if one.title.lower().startswith(_ARTICLE):
            yield fold_name(one.title[len(_ARTICLE) :])


def _several(wanted: str, found: Sequence[Called]) -> str:
    shown = [_shown(one) for one in found[:SHOWN_MAX]]
    more = f" and {len(found) - SHOWN_MAX} more" if len(found) > SHOWN_MAX else ""
    return f"{wanted[:NAME_MAX]} could be {', '.join(shown)}{more}; write more of the name"


def _missing(wanted: str, among: Sequence[Called], *, kind: str, advice: str) -> str:
    by_form = {
        form.lower(): one for one in reversed(among) for form in (one.title, one.name) if form
    }
    close = get_close_matches(wanted.lower(), by_form, n=3)
    # A name and a title may belong to the same one.
    shown = dict.fromkeys(by_form[form].name for form in close)
    hint = f"did you mean {' or '.join(shown)}?" if shown else advice
    return f"there is no {kind} called {wanted[:NAME_MAX]}; {hint}"


def _shown(one: Called) -> str:
    return f"{one.name} ({one.title})" if one.title else one.name
