"""Personas take their chairs: they become participants with ids."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from moot.definitions.values import LibraryPersona
from moot.protocol.names import slug
from moot.protocol.values import Participant, Persona
from moot.protocol.words import Role, Stance

Chair = tuple[Persona, Role, Stance]


def seat(chairs: Iterable[Chair]) -> tuple[Participant, ...]:
    """Participants made from personas, with ids from their names, in the given order."""
    seated: dict[str, Participant] = {}
    for persona, role, stance in chairs:
        made = slug(persona.name, seated)
        fields = msgspec.structs.asdict(persona)
        seated[made] = Participant(id=made, role=role, stance=stance, **fields)
    return tuple(seated.values())


def chair(entry: LibraryPersona, role: Role | None = None) -> Chair:
    """A chair for someone of the library, by default with the role that they are made for."""
    return entry.persona, role or entry.role, Stance.NONE
