"""`moot.Panel`: a set-up that can be asked, made by a program or read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import panels
from moot.definitions.documents import Document
from moot.definitions.named import written_out
from moot.definitions.saving import persona_of, seat_of, wishes_of
from moot.definitions.values import Definition, Panel as Asked, Seated
from moot.library.seating import seated
from moot.protocol.values import Participant, Persona
from moot.staging.mistakes import format_of, usual_format
from moot.staging.request import DebateRequest

POOLS = {"for": "pro", "against": "con", "audience": "audience"}
"""What the pools are called in files, and in a definition."""


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
