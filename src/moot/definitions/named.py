"""Participants given by the name of a persona, and what is to be different about them.

A persona is looked up once, when a debate is made, and written out in full: what is recorded never
depends on a library that somebody can edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions.personas import find_among, library
from moot.definitions.values import LibraryPersona
from moot.errors import InvalidInput, NotFound, joined
from moot.protocol.names import RESERVED, slug
from moot.protocol.registry import format_named
from moot.protocol.values import Participant, Sampling, Value
from moot.protocol.words import Role, Stance

OWN_SEATS = (Role.DEBATER, Role.MEMBER)
"""The seat of somebody of whom only the name is given: the first of these that the format has."""


class Named(Value, frozen=True, kw_only=True):
    """A persona by name, title or the beginning of either; other fields replace the persona's own.

    Without a `role`, a judge judges and a moderator moderates; everybody else takes the usual seat
    of the format. Without an `id`, one is made from the name.
    """

    persona: str
    id: str = ""
    role: Role | None = None
    stance: Stance = Stance.NONE
    name: str | None = None
    title: str | None = None
    model: str | None = None
    personality: str | None = None
    position: str | None = None
    instructions: str | None = None
    room_instructions: str | None = None
    judging_criteria: str | None = None
    color: str | None = None
    muted: bool = False
    sampling: Sampling = Sampling()

    @property
    def changes(self) -> dict[str, str]:
        """What replaces the persona's own."""
        found = ((name, getattr(self, name)) for name in OF_PERSONA)
        return {name: text for name, text in found if text is not None}


OF_PERSONA = (
    *("name", "title", "model", "personality", "position", "instructions", "room_instructions"),
    *("judging_criteria", "color"),
)


def written_out(
    people: Sequence[Participant | Named],
    format: str,  # noqa: A002 - the word of the glossary
    directory: Path | None = None,
) -> tuple[Participant, ...]:
    """Everybody in full; `directory` has the user's own personas, which come first.

    Raises InvalidInput with every name that means nobody, or more than one.
    """
    named = [one for one in people if isinstance(one, Named)]
    if not named:
        return tuple(one for one in people if isinstance(one, Participant))
    entries = library(directory)
    if wrong := list(_missing(people, entries)):
        raise joined(wrong)
    taken = {one.id for one in people} | RESERVED
    made: list[Participant] = []
    for one in people:
        full = one if isinstance(one, Participant) else seated(one, entries, format, taken)
        taken.add(full.id)
        made.append(full)
    return tuple(made)


def _missing(
    people: Sequence[Participant | Named], entries: Sequence[LibraryPersona]
) -> Iterator[InvalidInput]:
    for index, one in enumerate(people):
        if isinstance(one, Named):
            try:
                find_among(one.persona, entries)
            except NotFound as error:
                yield InvalidInput(str(error), field=f"participants.{index}.persona")


def seated(
    one: Named,
    entries: Sequence[LibraryPersona],
    format: str,  # noqa: A002 - the word of the glossary
    taken: set[str] | frozenset[str] = RESERVED,
) -> Participant:
    """The participant that is meant, with an id that is not `taken`. Raises NotFound."""
    found = find_among(one.persona, entries)
    fields: dict[str, Any] = {**msgspec.structs.asdict(found.persona), **one.changes}
    return Participant(
        id=one.id or slug(fields["name"], taken),
        role=one.role or usual_role(format, found.role),
        stance=one.stance,
        muted=one.muted,
        sampling=one.sampling,
        **fields,
    )


def usual_role(
    format: str,  # noqa: A002 - the word of the glossary
    made_for: Role = Role.DEBATER,
) -> Role:
    """The role that a persona made for `made_for` has in that format. Raises NotFound."""
    roles = {one.role for one in format_named(format).default_roster}
    if roles == {Role.MEMBER}:  # a room, where everybody is a member whatever they are elsewhere
        return Role.MEMBER
    own = next((role for role in OWN_SEATS if role in roles), Role.DEBATER)
    return own if made_for in OWN_SEATS else made_for
