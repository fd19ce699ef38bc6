"""A council's log, arranged for its report and for the record of its decision.

Reads the log and the outcome and decides nothing: what a round came to, who chose what and which
proposal stood before the debate is as the format recorded it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from moot.errors import InvalidInput
from moot.export.document import Document, Entry, read
from moot.protocol.events import NoticePosted, Recorded
from moot.protocol.formats.council.questions import Clarification, clarifications
from moot.protocol.outcomes import Solution
from moot.protocol.words import Role, StepKind

MEASURED = "round_measured"


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """What was said in one round. Proposals are written in the first and carried over later."""

    number: int
    proposals: tuple[Entry, ...]
    critiques: tuple[Entry, ...]
    refinements: tuple[Entry, ...]
    evaluations: tuple[Entry, ...]
    measured: str = ""


class Council:
    """A debate that is a council."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.state = document.state

    @property
    def members(self) -> list[str]:
        return [one.id for one in self.state.config.participants if one.role is Role.MEMBER]

    @cached_property
    def clarifications(self) -> tuple[Clarification, ...]:
        return clarifications(self.state)

    @cached_property
    def rounds(self) -> list[Round]:
        numbers = sorted({entry.turn.said.round for entry in self._of(*IN_ROUNDS)})
        return [self._round(number) for number in numbers]

    def _round(self, number: int) -> Round:
        return Round(
            number=number,
            proposals=self._of(StepKind.PROPOSE, round_=number),
            critiques=self._of(StepKind.CRITIQUE, round_=number),
            refinements=self._of(StepKind.REFINE, round_=number),
            evaluations=self._of(StepKind.EVALUATE, round_=number),
            measured=self._measured(number),
        )

    def _of(self, *kinds: StepKind, round_: int | None = None) -> tuple[Entry, ...]:
        return tuple(
            entry
            for entry in self.document.transcript
            if entry.turn.said.kind in kinds and round_ in (None, entry.turn.said.round)
        )

    def _measured(self, number: int) -> str:
        about = f"evaluation/{number}"
        told = (event.text for event in self._notices if event.about == about)
        return next(told, "")

    @property
    def _notices(self) -> list[NoticePosted]:
        events = (record.event for record in self.state.notices)
        return [event for event in events if isinstance(event, NoticePosted)]

    @property
    def remarks(self) -> list[str]:
        """What people were told besides what each round came to."""
        return [event.text for event in self._notices if event.code != MEASURED]

    def final(self, member: str) -> Entry | None:
        """The member's last position."""
        own = [one for one in self._of(*POSITIONS) if one.speaker.id == member]
        return own[-1] if own else None

    # --- what came of it ---

    @property
    def solution(self) -> Solution | None:
        found = self.state.outcome
        return found if isinstance(found, Solution) else None

    @property
    def description(self) -> str:
        return self.solution.description if self.solution else ""

    @property
    def confidence(self) -> str:
        found = self.solution.confidence if self.solution else None
        return "not stated" if found is None else f"{found:g} of 100"

    def part(self, name: str) -> tuple[str, ...]:
        """One of the lists of `vocabulary.SOLUTION_PARTS`; empty texts are left out."""
        found: tuple[str, ...] = getattr(self.solution, name, ())
        return tuple(text for text in found if text)

    @property
    def decision(self) -> Mapping[str, Any]:
        return self.solution.decision if self.solution else {}

    @property
    def before_debate(self) -> Mapping[str, Any]:
        return (self.solution and self.solution.before_debate) or {}


POSITIONS = (StepKind.PROPOSE, StepKind.REFINE)
IN_ROUNDS = (*POSITIONS, StepKind.CRITIQUE, StepKind.EVALUATE)


def read_council(log: Sequence[Recorded], debate_id: str, *, what: str) -> Council:
    """The council. Raises InvalidInput if the debate is none."""
    document = read(log, debate_id)
    name = document.state.config.format
    if name != "council":
        message = (
            f"{what} is written of a council, and this is a debate of the format {name}; "
            "export it as md or html"
        )
        raise InvalidInput(message, field="as")
    return Council(document)
