"""`moot.Panel`: a set-up that can be asked, made by a program or read from a file; which panel is
meant by whoever asks; and its answer. The debate between question and answer is an ordinary one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import debates, panels, shipped, teams
from moot.definitions.casting import written_out
from moot.definitions.debate_file import define
from moot.definitions.documents import Document, read
from moot.definitions.own_panels import persona_of, seat_of, wishes_of
from moot.definitions.values import Definition, Panel as Asked, Seated
from moot.errors import InvalidInput, NotFound
from moot.library.seating import seated
from moot.protocol.outcomes import Outcome
from moot.protocol.registry import offered
from moot.protocol.values import Participant, Persona
from moot.staging.mistakes import format_of, usual_format
from moot.staging.request import DebateRequest

POOLS = {"for": "pro", "against": "con", "audience": "audience"}
"""What the pools are called in files, and in a definition."""

FIELD = "panel"
NOTHING = Document(data={})
SUFFIXES = (".yaml", ".yml")
_ANY = "What shall we do?"
"""Stands in for the topic, which a file need not have here."""


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """A saved set-up that can be asked: `await m.ask(panel, "...")`.

    `m.panels()` gives you those that have a name; your program can make others. Mistakes in a panel
    are reported when it is asked.
    """

    name: str
    about: str = ""
    """What it is good for, in a sentence."""
    format: str | None = None
    """A duel unless you name one, or a council for a `team`."""
    participants: Sequence[Participant | Persona | str] = ()
    """As in `Moot.create`."""
    team: str | None = None
    """A team by its name, instead of participants."""
    drawn: Mapping[str, Sequence[Persona]] = {}
    """Instead of participants: for each question, one is drawn from `for`, one from `against`, and
    one from `audience`, who judges."""
    settings: Mapping[str, Any] = {}
    """Settings of the format."""
    limits: Mapping[str, Any] = {}
    """What one question may cost at most: `max_cost_usd`, `max_runtime_seconds`."""
    answer: str = "outcome"
    """What is given as the answer: the `outcome`, or the whole `transcript`."""
    attach: Sequence[str] = ()
    """Paths of text files for all to read."""
    context_directory: str = ""
    """A directory of such files."""
    is_own: bool = False
    """Whether it is a file of yours, not one that comes with Moot."""


def checked(panel: Panel, personas: Path | None) -> Asked:
    """The panel as it is asked. Blocks: reads files. Raises InvalidInput for every mistake,
    or NotFound."""
    usual = usual_format(DebateRequest(team=panel.team or ""))
    form = format_of(panel.format) if panel.format else usual
    people = written_out(seated(panel.participants, form), form, personas)
    given: dict[str, Any] = {
        "about": panel.about or panel.name,
        "format": panel.format,
        "team": panel.team,
        "participants": [seat_of(one) for one in people],
        "settings": _plain(panel.settings),
        "limits": _plain(panel.limits),
        "attach": [str(Path(path).absolute()) for path in panel.attach],
        "context_directory": panel.context_directory,
        **{key: [_drawn(one) for one in pool] for key, pool in panel.drawn.items()},
    }
    told = {key: value for key, value in given.items() if value}
    data = {"name": panel.name, "answer": panel.answer, **told}
    return panels.panel_of(Document(data=data), personas)


def listed(own: Path | None, personas: Path | None) -> list[Panel]:
    """All panels that can be asked by name. Blocks: reads files."""
    return [_shown(one, personas) for one in panels.library(own, personas)]


def _shown(panel: Asked, personas: Path | None) -> Panel:
    found = panels.definition_of(panel, personas)
    there = Path(found.source or "").parent
    settings = {key: found.settings[key] for key in found.settings if key not in panel.limits}
    directory = found.context_directory
    return Panel(
        name=panel.name,
        about=panel.about,
        format=panel.format,
        participants=found.participants,
        team=panel.team or None,
        drawn=_pools(found),
        settings=settings,
        limits=panel.limits,
        answer=panel.answer,
        attach=tuple(str(there / path) for path in found.attach),
        context_directory=str(there / directory) if directory else "",
        is_own=panel.is_own,
    )


def _pools(found: Definition) -> dict[str, tuple[Persona, ...]]:
    if found.pools is None:
        return {}
    pools = {key: getattr(found.pools, name) for key, name in POOLS.items()}
    return {key: pool for key, pool in pools.items() if pool}


def _drawn(one: Persona) -> dict[str, Any]:
    wishes = wishes_of(one.sampling) if isinstance(one, Seated) else {}
    return {**persona_of(one), **wishes}


def _plain(given: Mapping[str, Any]) -> Any:
    """The values as a file could have them; a program without types may have given anything."""
    return msgspec.to_builtins(dict(given)) if isinstance(given, Mapping) else given


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a panel answered. `str(answer)` is its text."""

    text: str
    """The answer in Markdown, with any doubts about it; the same as the export `answer`, or `md` if
    the panel answers with the transcript."""
    outcome: Outcome
    debate_id: str
    """The debate that led to it; `m.get` finds it."""
    cost_usd: float | None = None
    """What it cost; None if the price of a model is not known."""

    def __str__(self) -> str:
        return self.text


def find(panel: str | Path | Panel, own: Path | None, personas: Path | None) -> Asked:
    """The panel that is meant. Blocks: reads files.

    A name is looked up in this order: the panels, the user's own first, the formats, the teams. It
    can also be a file, of a panel or of a debate, whose own topic is left out. Raises NotFound, or
    InvalidInput for what cannot be asked.
    """
    if isinstance(panel, Panel):
        return checked(panel, personas)
    if isinstance(panel, Path):
        return _in_file(panel, personas)
    known = panels.library(own, personas)
    if found := known.named(panel):
        return found
    if rules := offered().get(panel):
        return Asked(name=panel, about=rules.about, format=panel, document=NOTHING)
    if panel not in {one.name for one in teams.teams()} and debates.is_file_name(panel):
        return _in_file(Path(panel), personas)
    if panel in shipped.names():
        message = f"{panel} has a topic of its own, so it cannot be asked another question"
        raise InvalidInput(message, field=FIELD)
    return _team(panel, [one.name for one in known], own)


def _team(name: str, known: Sequence[str], own: Path | None) -> Asked:
    try:
        team = teams.team(name)
    except NotFound:
        formats = [
            name
            for name, rules in offered().items()
            if not rules.is_open_ended and name not in known
        ]
        message = (
            f"there is no panel called {name[:60]!r}; ask a panel ({', '.join(known)}), a format "
            f"({', '.join(formats)}), a team ({', '.join(one.name for one in teams.teams())}) "
            f"or a file{_lying_here(name, own)}"
        )
        raise NotFound(message) from None
    form = teams.usual_format()
    return Asked(name=team.name, about=team.about, format=form, team=team.name, document=NOTHING)


def _lying_here(name: str, own: Path | None) -> str:
    """Says that there is a file of that name here, where panels are not looked for; else ""."""
    if len(name) > panels.NAME_MAX:
        return ""
    found = next((file for end in SUFFIXES if Path(file := f"{name}{end}").is_file()), None)
    if found is None:
        return ""
    move = f", or move it to {own} and ask {name}" if own else ""
    return f". There is a file {found} here: ask it as {found}{move}"


def _in_file(path: Path, personas: Path | None) -> Asked:
    if str(path) == "-":
        raise InvalidInput("'-' is not a panel: give a name or a file", field=FIELD)
    document = read(path)
    data = document.data if isinstance(document.data, dict) else {}
    if "topic" not in data and data.keys() & panels.KEYS:
        return panels.panel_of(document, personas)
    whole = {"topic": _ANY, **data} if data else document.data
    found = define(msgspec.structs.replace(document, data=whole), personas)
    # The premise belongs to the topic that is left out.
    kept = {key: value for key, value in data.items() if key not in ("topic", "premise")}
    settings = {k: v for k, v in kept.get("settings", {}).items() if k != "premise"}
    document = msgspec.structs.replace(document, data={**kept, "settings": settings})
    return Asked(name=path.stem, about=found.topic, format=found.format, document=document)
