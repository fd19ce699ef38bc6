"""`ask`: a question for a panel, and the answer. The debate between the two is an ordinary one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import debates, shipped, teams
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput, NotFound
from moot.protocol.outcomes import Outcome
from moot.protocol.registry import FORMATS, format_named
from moot.staging import DebateRequest

FIELD = "panel"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a panel answered. `str(answer)` is its text."""

    text: str
    """In Markdown, with any doubts about it; the same as the export `answer`."""
    outcome: Outcome
    debate_id: str
    """The debate that led to it; `m.get` finds it."""
    cost_usd: float | None = None
    """What it cost; None if the price of a model is not known."""

    def __str__(self) -> str:
        return self.text


def request(panel: str | Path, question: str, settings: Mapping[str, Any]) -> DebateRequest:
    """The debate in which that panel answers the question.

    A panel is a format, a team, or a debate file, whose topic the question replaces. Raises
    NotFound, or InvalidInput for a blank question and for what cannot be asked.
    """
    if not question.strip():
        raise InvalidInput("must not be blank", field="question")
    asked = DebateRequest(topic=question, settings=settings)
    if isinstance(panel, Path) or debates.is_file_name(panel):
        return msgspec.structs.replace(asked, file=panel)
    if panel in FORMATS:
        return msgspec.structs.replace(asked, format=panel)
    if panel in shipped.names():
        message = f"{panel} has a topic of its own, so it cannot be asked another question"
        raise InvalidInput(message, field=FIELD)
    return msgspec.structs.replace(asked, team=_team(panel))


def _team(name: str) -> str:
    try:
        return teams.team(name).name
    except NotFound:
        known = [one for one in FORMATS if not FORMATS[one].is_open_ended]
        message = (
            f"there is no panel called {name[:60]!r}; ask a format ({', '.join(known)}), "
            f"a team ({', '.join(one.name for one in teams.teams())}) or a debate file"
        )
        raise NotFound(message) from None


def check(new: NewDebate) -> None:
    """Raises InvalidInput for a debate that could not end with an answer."""
    if format_named(new.format).is_open_ended:
        message = f"a {new.format} has no end, so it cannot answer; ask a council, or open the room"
        raise InvalidInput(message, field=FIELD)
    if not any(one.role.is_judging for one in new.participants):
        message = "nobody would give the answer: it needs a judge or a moderator"
        raise InvalidInput(message, field=FIELD)
