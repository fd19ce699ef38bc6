"""The order of a duel: `turns` statements, and what belongs to each of them.

A plans and B plans; then for every statement its speaker thinks and speaks, and beside that the
judge evaluates and scores it; last comes the verdict. Calls and the longest chain of calls that
depend on each other are counted from these tables: 4·turns + 6 and 2·turns + 7 with a judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.order import ALL_SAID, LIMIT, SAID, Order, Speech
from moot.protocol.settings import BenchSettings, Words
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant
from moot.protocol.words import Role, StepKind

PLANNING, OPENING, EXCHANGE, VERDICT = "planning", "opening", "exchange", "verdict"

SPEAKING = (StepKind.THINK, StepKind.SPEAK)
"""What its speaker does for a statement, one after the other."""
JUDGING = (StepKind.EVALUATE, StepKind.SCORE)
"""What the judge does for it, while the other side goes on."""
DECIDING = ("deliberate", "confirm", "record", "announce")
"""What the judge does at the end."""


class DuelSettings(BenchSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType({"words": 0})

    premise: Annotated[
        str,
        Meta(max_length=2000, description="The claim that one side defends and the other attacks."),
    ] = ""
    turns: Annotated[
        int, Meta(ge=1, le=100, description="How many statements, both sides together.")
    ] = 6
    words: Words = 150

    @property
    def statements(self) -> int:
        return self.turns


class Statement(Speech, frozen=True, kw_only=True):
    """A statement before it is made. `number` counts from 1; the keys are those of the steps that
    belong to it."""

    think_key: str
    evaluate_key: str
    score_key: str


class DuelOrder(Order[Statement]):
    stages: ClassVar[tuple[str, ...]] = (OPENING, EXCHANGE)
    closing: ClassVar[str] = VERDICT
    after: ClassVar[tuple[str, ...]] = (HEARING,)
    events: ClassVar[dict[str, str]] = {SAID: "OPENED", LIMIT: ALL_SAID}

    def __init__(self, config: Config, settings: DuelSettings) -> None:
        super().__init__()
        self.settings = settings
        self._roster = config.participants  # `cast` puts the debaters first

    @cached_property
    def a(self) -> Participant:
        return self._roster[0]

    @cached_property
    def b(self) -> Participant:
        return self._roster[1]

    @cached_property
    def judge(self) -> Participant | None:
        return next((one for one in self._roster if one.role is Role.JUDGE), None)

    @cached_property
    def plan_keys(self) -> dict[str, str]:
        return {one.id: f"{PLANNING}/1/{one.id}/plan" for one in (self.a, self.b)}

    @cached_property
    def verdict_keys(self) -> dict[str, str]:
        judge = self.judge.id if self.judge else ""
        return {part: f"{VERDICT}/1/{judge}/{part}" for part in DECIDING}

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(self._statement(n) for n in range(1, self.settings.turns + 1))

    def _statement(self, number: int) -> Statement:
        """A makes the odd statements, B the even ones; one round of the exchange is an answer of
        B's and one of A's."""
        stage, round_ = (OPENING, 1) if number == 1 else (EXCHANGE, number // 2)
        speaker, by = (self.a if number % 2 else self.b), (self.judge.id if self.judge else "")
        return Statement(
            stage=stage,
            round=round_,
            speaker=speaker,
            number=number,
            is_answer=number % 2 == 0,
            think_key=f"{stage}/{round_}/{speaker.id}/think",
            evaluate_key=f"{stage}/{round_}/{by}/evaluate/{speaker.id}",
            score_key=f"{stage}/{round_}/{by}/score/{speaker.id}",
        )

    def rounds(self, stage: str) -> int:
        return 1 if stage == OPENING else self.settings.turns // 2

    def make(self, stage: str, round_: int) -> tuple[Statement, ...]:
        return tuple(one for one in self.statements if (one.stage, one.round) == (stage, round_))

    def most_calls(self) -> int:
        each = len(SPEAKING) + (len(JUDGING) if self.judge else 0)
        return len(self.plan_keys) + each * self.most_speeches() + self._decisions()

    def longest_chain(self) -> int:
        """A's plan, what is spoken, the judging of the last statement, and the verdict."""
        judging = len(JUDGING) if self.judge else 0
        return 1 + len(SPEAKING) * self.most_speeches() + judging + self._decisions()

    def _decisions(self) -> int:
        return len(DECIDING) if self.judge else 0

    # --- how far it has come ---

    def before(self, statement: Statement) -> Statement | None:
        """The statement that `statement` answers; None for the first."""
        return self.statements[statement.number - 2] if statement.number > 1 else None

    def unscored(self, state: DebateState) -> Statement | None:
        """The oldest statement that the judge still has to score."""
        if self.judge is None:
            return None
        found = None
        for one in reversed(self.statements[: state.statements]):
            if one.score_key in state.turns:
                break
            found = one
        return found

    def has_planned(self, state: DebateState, debater: Participant) -> bool:
        key = self.plan_keys[debater.id]
        return key in state.turns or goes_along(state, debater, key)

    def has_both_plans(self, state: DebateState) -> bool:
        return all(self.has_planned(state, one) for one in (self.a, self.b))


def goes_along(state: DebateState, participant: Participant, *keys: str) -> bool:
    """Whether a person gives the turns with these keys along with a later form: not if any of them
    was asked by itself, as 0.1 did."""
    return participant.is_human and not any(
        key in state.turns or key in state.questions for key in keys
    )


def order_of(state: DebateState) -> DuelOrder:
    return state.own_as(DuelOrder)
