"""Teams: members who are used together in councils and rooms, and the judge who goes with them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from moot.definitions import personas, shipped
from moot.definitions.casting import chair, seat
from moot.definitions.schema import TeamsFile, validate
from moot.definitions.values import Team
from moot.errors import InvalidInput, NotFound
from moot.protocol.registry import FORMATS
from moot.protocol.values import Participant
from moot.protocol.words import Role


@cache
def formats() -> Mapping[str, bool]:
    """The formats that have members, and whether they have a judge: those that do come first."""
    rosters = {name: {one.role for one in rules.default_roster} for name, rules in FORMATS.items()}
    found = {name: Role.JUDGE in roles for name, roles in rosters.items() if Role.MEMBER in roles}
    return dict(sorted(found.items(), key=lambda one: not one[1]))


def usual_format() -> str:
    """The format in which a team debates if nobody names one."""
    return next(iter(formats()))


@cache
def teams() -> tuple[Team, ...]:
    """The teams that come with Moot, in the order of their file."""
    specs = validate(shipped.teams(), TeamsFile).teams
    return tuple(
        Team(name=s.name, about=s.about, members=tuple(s.members), judge=s.judge) for s in specs
    )


def team(name: str) -> Team:
    """The team of that name; raises NotFound with those that come close."""
    by_name = {one.name: one for one in teams()}
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    begins = [one for key, one in by_name.items() if wanted and key.startswith(wanted)]
    if wanted in by_name or len(begins) == 1:
        return by_name.get(wanted) or begins[0]
    close = get_close_matches(wanted, by_name, n=1)
    names = [one.name for one in begins] or by_name
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}"
    message = f"there is no team called {name[:60]}; {hint}"
    raise NotFound(message)


def members(
    chosen: Team,
    format: str,  # noqa: A002 - the word of the glossary
    directory: Path | None = None,
) -> tuple[Participant, ...]:
    """The members, and the judge if the format has one. Raises InvalidInput for a format without
    members.

    A user's own persona stands in for a shipped one of its name.
    """
    if format not in formats():
        message = f"a {format} has no members; use the format {' or '.join(formats())}"
        raise InvalidInput(message, field="team")
    judges = [chosen.judge] if chosen.judge and formats()[format] else []
    return seat(
        [
            *(chair(personas.find(name, directory), Role.MEMBER) for name in chosen.members),
            *(chair(personas.find(name, directory), Role.JUDGE) for name in judges),
        ]
    )
