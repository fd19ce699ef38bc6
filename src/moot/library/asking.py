"""`ask`: a question for a panel, and the answer. The debate between the two is an ordinary one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from moot.definitions import debates, panels, shipped, teams
from moot.definitions.debate_file import define
from moot.definitions.documents import Document, read
from moot.definitions.values import Panel as Asked
from moot.errors import InvalidInput, NotFound
from moot.library.panels import Panel, checked
from moot.protocol.outcomes import Outcome
from moot.protocol.registry import offered

FIELD = "panel"
NOTHING = Document(data={})
SUFFIXES = (".yaml", ".yml")
_ANY = "What shall we do?"
"""Stands in for the topic, which a file need not have here."""


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
