"""Panels: saved set-ups that can be asked. Those of the user come first, then the shipped ones.

A panel's file is a debate file without a topic, with a few keys of its own; it is read as strictly
(see `schema`). A user's own panel takes the place of a shipped one of the same name. A mistake in a
user's file makes only its own panel unusable: the file is listed with what is wrong with it, and
never silently left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

import msgspec
from pydantic import Field

from moot.definitions import shipped, teams
from moot.definitions.debate_file import WAYS, define, read_as
from moot.definitions.debates import first_of
from moot.definitions.documents import Document, read
from moot.definitions.personas import own_files
from moot.definitions.schema import OF_SLUG, Model, SetUp, Slug, Strict, Topic
from moot.definitions.values import Definition, Panel
from moot.engine.creation import seat
from moot.errors import InvalidInput, NotFound
from moot.protocol.registry import USUAL, format_named, offered
from moot.protocol.row import Seat, seats_of
from moot.protocol.settings import read_settings
from moot.protocol.values import Participant


class PanelLimits(Strict):
    max_cost_usd: float | None = Field(
        default=None, ge=0, le=100_000, description="Stop when this much is spent, in US dollars."
    )
    max_runtime_seconds: int | None = Field(
        default=None, ge=1, le=2_592_000, description="Stop after this many seconds of running."
    )


class PanelSpec(Strict):
    """What a panel has besides the keys of a debate file, of which it has all but the topic."""

    name: Slug = Field(description=f"What it is asked by: {OF_SLUG}.")
    about: Topic = Field(description="What it is good for, in a sentence.")
    team: Slug | None = Field(
        default=None, description="A team by its name, instead of participants."
    )
    limits: PanelLimits = Field(
        default_factory=PanelLimits, description="What one question may cost at most."
    )
    answer: Literal["outcome", "transcript"] = Field(
        default="outcome",
        description="What is given as the answer: what the debate came to, or all of it.",
    )
    task_model: Model = Field(
        default="",
        description="The model that answers small requests of chat clients, such as for a title.",
    )
    thinking: Literal["steps", "text", "off"] = Field(
        default="steps",
        description="What is shown over /v1 while it works: a line for each step, the texts "
        "themselves, or nothing.",
    )
    thinking_field: Literal["reasoning_content", "reasoning"] = Field(
        default="reasoning_content", description="The field in which clients of /v1 look for it."
    )
    usage: Literal["all", "visible"] = Field(
        default="all",
        description="What /v1 counts as used: all calls, or only the question and the answer.",
    )
    inherit: bool = Field(
        default=False,
        description="Whether temperature and the like of a request over /v1 apply to everybody.",
    )
    grace_seconds: int = Field(
        default=20,
        ge=0,
        le=3600,
        description="How long it goes on after the client of /v1 is gone, before it is stopped.",
    )


class PanelFile(SetUp, PanelSpec):
    """A panel as it stands in its file."""


KEYS = frozenset(PanelSpec.model_fields)
NAME_MAX = 40
PEOPLE = tuple(key for keys, _ in WAYS.values() for key in keys)
"""The keys that say who takes part."""
LEAST = "`name` and `about` are"
"""What a file needs at least."""
_PLACE = "What shall we do?"
"""A topic like any other, with which to check the rest of a panel."""


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the user's own that is not a panel yet, and every mistake in it.

    `names` are those it would be asked by: that of the file and, if it can be read, the one in it.
    """

    file: str
    names: frozenset[str]
    error: InvalidInput

    @property
    def detail(self) -> str:
        """What is wrong, without where the file is: for clients of a server."""
        return "; ".join(map(_placed, (self.error, *self.error.others)))

    @property
    def told(self) -> str:
        """The same as a sentence, with the name of the file."""
        return f"the file {self.file} of your panels has a mistake: {self.detail}"


class Library(tuple[Panel, ...]):  # noqa: SLOT001 - a tuple with a field cannot have any
    """The panels that can be asked, and the files that would be panels but for a mistake."""

    broken: tuple[Broken, ...]

    def __new__(cls, panels: Iterable[Panel] = (), broken: Iterable[Broken] = ()) -> Self:
        made = super().__new__(cls, panels)
        made.broken = tuple(broken)
        return made

    def named(self, name: str) -> Panel | None:
        """The panel of that name, if there is one. Raises InvalidInput if its file is broken."""
        found = next((one for one in self if fold(one.name) == fold(name)), None)
        if found is None and (bad := self.broken_named(name)):
            raise bad.error
        return found

    def broken_named(self, name: str) -> Broken | None:
        """The broken file that would be the panel of that name, if there is one."""
        return next((one for one in self.broken if fold(name) in one.names), None)


def library(directory: Path | None = None, personas: Path | None = None) -> Library:
    """Every panel that can be asked, the user's own first; those are in `directory` as *.yaml.

    `personas` has the user's own personas, whom a panel may name. A broken file that would replace
    a shipped panel hides it, so that nobody is answered by another panel than they have set up.
    """
    found = list(own(directory, personas))
    mine = [one for one in found if isinstance(one, Panel)]
    broken = [one for one in found if isinstance(one, Broken)]
    taken = {fold(one.name) for one in mine}.union(*(one.names for one in broken))
    others = (one for one in all_shipped() if fold(one.name) not in taken)
    every = (msgspec.structs.replace(one, is_saved=True) for one in (*mine, *others))
    return Library(every, broken)


def find(name: str, directory: Path | None = None, personas: Path | None = None) -> Panel:
    """The panel of that name; raises NotFound with those that come close, or InvalidInput if its
    file is broken."""
    return find_among(name, library(directory, personas))


def find_among(name: str, panels: Sequence[Panel]) -> Panel:
    """The same, for a caller that has the library at hand."""
    known = panels if isinstance(panels, Library) else Library(panels)
    if found := known.named(name):
        return found
    by_name = {fold(one.name): one for one in known}
    close = get_close_matches(fold(name), by_name, n=3) or list(by_name)
    names = ", ".join(by_name[one].name for one in close)
    message = f"there is no panel called {name[:NAME_MAX]!r}; there are: {names}"
    raise NotFound(message)


def fold(name: str) -> str:
    """The name as it is compared: `Red Team` and `red_team` are `red-team`."""
    return name.strip().lower().replace("_", "-").replace(" ", "-")


@cache
def all_shipped() -> tuple[Panel, ...]:
    """The panels that come with Moot."""
    return tuple(panel_of(document) for document in shipped.panels().values())


def own(directory: Path | None, personas: Path | None = None) -> Iterator[Panel | Broken]:
    """The user's panels, by file name; none if the directory is not there.

    A file with a mistake is `Broken`, and so is a second panel of the same name.
    """
    seen: dict[str, str] = {}
    for path in own_files(directory):
        names = frozenset({fold(path.stem)})
        try:
            # Links are not followed: a panel is shown to clients, and a link can point anywhere.
            document = read(path, follow_links=False, least=LEAST)
            names |= _name_in(document)
            panel = panel_of(document, personas)
            _check_single(document, seen.get(fold(panel.name)))
        except NotFound:  # removed since the folder was listed
            continue
        except InvalidInput as error:
            yield Broken(file=path.name, names=names, error=error)
        else:
            seen[fold(panel.name)] = path.name
            yield msgspec.structs.replace(panel, is_own=True)


def _name_in(document: Document) -> frozenset[str]:
    name = document.data.get("name") if isinstance(document.data, dict) else None
    return frozenset({fold(name)} if isinstance(name, str) else ())


def _check_single(document: Document, other: str | None) -> None:
    if other:
        message = f"is the name of the panel in {other}, too; change one of them"
        raise document.error(("name",), message)


def _placed(mistake: InvalidInput) -> str:
    line = f"line {mistake.line}" if mistake.line is not None else ""
    return ": ".join(filter(None, (line, mistake.field, mistake.message)))


# --- from a file to a panel -----------------------------------------------------------------------


def panel_of(document: Document, personas: Path | None = None) -> Panel:
    """The panel in that document. Raises InvalidInput with every mistake in it."""
    whole = _with_format(document)
    try:
        _, file = read_as(PanelFile, whole, personas, _mistakes(whole, personas))
    except NotFound:  # an unknown format, in a document that is not from a file
        raise document.error(("format",), _no_format(str(whole.data["format"]))) from None
    panel = Panel(
        **file.model_dump(include=set(KEYS - {"limits", "team"})),
        team=file.team or "",
        limits=file.limits.model_dump(exclude_none=True),
        format=file.format,
        document=msgspec.structs.replace(document, data=_without(whole.data, KEYS)),
    )
    _check_seats(document, panel, personas)
    return panel


def definition_of(panel: Panel, personas: Path | None = None) -> Definition:
    """What the panel's file says of a debate, with a placeholder for its topic."""
    return define(on(panel, _PLACE), personas)


def on(panel: Panel, topic: str) -> Document:
    """The debate file that the panel and a topic make."""
    data = panel.document.data
    settings = {**data.get("settings", {}), **panel.limits}
    whole = {**data, "topic": topic, "format": panel.format, "settings": settings}
    return msgspec.structs.replace(panel.document, data=whole)


def _without(data: Mapping[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _with_format(document: Document) -> Document:
    """The document with its format written out: a team's default differs from that of other
    files."""
    data = document.data
    if not isinstance(data, dict) or "format" in data or not data.get("team"):
        return document
    return msgspec.structs.replace(document, data={**data, "format": teams.usual_format()})


def _mistakes(document: Document, personas: Path | None) -> Iterator[InvalidInput]:
    """What only a panel can get wrong."""
    if not isinstance(document.data, dict):
        return
    if "topic" in document.data:
        message = "must be left out: a panel is asked a new question each time"
        yield document.error(("topic",), message)
    name = document.data.get("format", USUAL)
    rules = offered().get(str(name))
    if isinstance(name, str) and rules is None:
        yield document.error(("format",), _no_format(name))
    if rules and rules.is_open_ended:
        message = f"a {rules.name} has no end, so it cannot answer; use a council, for example"
        yield document.error(("format",), message)
    yield from _of_limits(document)
    yield from _of_team(document, personas)


def _no_format(name: str) -> str:
    """Says that there is no format of that name, and which ones a panel can have."""
    known = [one for one, rules in offered().items() if not rules.is_open_ended]
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"there is no format called {name[:NAME_MAX]}; {hint}known: {', '.join(known)}"


def _of_limits(document: Document) -> Iterator[InvalidInput]:
    limits, settings = (document.data.get(key) for key in ("limits", "settings"))
    if isinstance(limits, dict) and isinstance(settings, dict):
        for key in limits.keys() & settings.keys():
            message = f"is also given under `limits` as `{key}`; keep one of them"
            yield document.error(("settings", key), message)


def _of_team(document: Document, personas: Path | None) -> Iterator[InvalidInput]:
    team, form = document.data.get("team"), document.data.get("format")
    if not isinstance(team, str):
        return
    if others := [key for key in PEOPLE if key in document.data]:
        yield document.error(("team",), f"cannot be used together with `{others[0]}`")
        return
    try:
        found = teams.team(team)
        teams.members(found, str(form), personas)
    except (NotFound, InvalidInput) as error:
        message = error.message if isinstance(error, InvalidInput) else str(error)
        yield document.error(("team",), message)
    else:
        if found.name != team:  # the beginning of a name finds a team, but will not do in a file
            message = f"there is no team called {team}; did you mean {found.name}?"
            yield document.error(("team",), message)


def _check_seats(document: Document, panel: Panel, personas: Path | None) -> None:
    """Raises InvalidInput if the format cannot be played by those whom the file names, or if the
    settings do not go together."""
    rules, definition = format_named(panel.format), definition_of(panel, personas)
    people = _people(panel, definition, personas)
    if not people:  # whoever is drawn from all personas can play
        return
    try:
        seat(rules, read_settings(rules.settings, definition.settings), people)
    except InvalidInput as error:
        loc = tuple((error.field or "").split("."))
        place = loc if loc[0] == "settings" else ("participants",)
        raise document.error(place, error.message) from None


def cast_of(panel: Panel, personas: Path | None = None) -> tuple[Seat, ...]:
    """Who takes part, as far as that is known before anybody asks: of each pool, the first."""
    return seats_of(_people(panel, definition_of(panel, personas), personas))


def _people(panel: Panel, found: Definition, personas: Path | None) -> tuple[Participant, ...]:
    if panel.team:
        return teams.members(teams.team(panel.team), panel.format, personas)
    named = found.participants or first_of(found.pools)
    return named or tuple(format_named(panel.format).default_roster)
