"""Who takes part, as programs name them: in full, as a persona, or by the name of one; and words of
the glossary, which programs may write as plain text.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

import msgspec

from moot.definitions.casting import Named, seat, usual_role
from moot.errors import InvalidInput
from moot.protocol.names import RESERVED, slug
from moot.protocol.values import Participant, Persona
from moot.protocol.words import Role, Stance

W = TypeVar("W", bound=StrEnum)


def seated(
    given: Sequence[Participant | Persona | str], form: str
) -> tuple[Participant | Named, ...]:
    """Everybody with a chair, in the given order; a persona has the usual role of the format."""
    if isinstance(given, str):
        raise InvalidInput("must be a list, even for one name", field="participants")
    personas = [one for one in given if isinstance(one, Persona)]
    role = usual_role(form) if personas else Role.DEBATER
    chairs = iter(seat((one, role, Stance.NONE) for one in personas))
    taken = {one.id for one in given if isinstance(one, Participant)} | RESERVED
    made: list[Participant | Named] = []
    for place, one in enumerate(given):
        match one:
            case str():
                made.append(Named(persona=one))
            case Persona():
                made.append(next(chairs))
            case Participant():
                made.append(_with_id(_with_role(one, place), taken))
            case _:  # programs without types
                message = "must be a Participant, a Persona or the name of a persona"
                raise InvalidInput(message, field=f"participants.{place}")
    return tuple(made)


def _with_id(one: Participant, taken: set[str]) -> Participant:
    """The same, with an id made from the name if it has none."""
    if one.id:
        return one
    made = slug(one.name, taken)
    taken.add(made)
    return msgspec.structs.replace(one, id=made)


def _with_role(one: Participant, place: int) -> Participant:
    """The participant with its role as a `Role`: programs may give a plain word, as in a file."""
    role = one_of(Role, one.role, f"participants.{place}.role")
    return msgspec.structs.replace(one, role=role)


def one_of(words: type[W], given: W | str, field: str) -> W:
    """The word as a member of `words`. Raises InvalidInput, which names all there are."""
    try:
        return words(given)
    except ValueError:
        message = f"there is no {words.__name__.lower()} {given!r}; known: {', '.join(words)}"
        raise InvalidInput(message, field=field) from None
