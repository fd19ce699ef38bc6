"""The order of a debate of rounds: A and B in every round, and where the judge comes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.order import ALL_SAID, LIMIT, Order, Speech, thought_first
from moot.protocol.settings import BenchSettings, MaxTokensJudge, Think, Words
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Place
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role, StepKind

DEBATE, VERDICT = "debate", "verdict"

WORDS = FormatWord(
    name="A short exchange in rounds",
    end="“Against, on the cost of waiting: nothing new was said in round 4.”",
    asks="Who makes the stronger case?",
    roles=("debater", "judge"),
    length="max_rounds",
    unit="round",
    short=2,
    long=8,
    joins="against",
)


class RoundsSettings(BenchSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType({"words": 0})

    max_rounds: Annotated[
        int, Meta(ge=1, le=100, description="How many rounds; both debaters speak once in each.")
    ] = 5
    # Seed 003, "Default stop conditions" and "Per-step output limits".
    max_runtime_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=2_592_000)] | None,
        Meta(description="Stop after this many seconds of running time; pauses do not count."),
    ] = 600
    max_total_output_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="Stop after this many tokens of answers; thinking is not counted."),
    ] = 8000
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Longest statement, in tokens.")
    ] = 600
    max_tokens_judge: MaxTokensJudge = 400
    words: Words = 150
    think: Think = False
    stance_a: Annotated[Literal["pro", "con"], Meta(description="The first debater's side.")] = (
        "pro"
    )
    judge_each_round: Annotated[
        bool, Meta(description="Judge after every round, and end once nothing new is said.")
    ] = False


class RoundsOrder(Order[Speech]):
    stages: ClassVar[tuple[str, ...]] = (DEBATE,)
    closing: ClassVar[str] = VERDICT
    after: ClassVar[tuple[str, ...]] = (HEARING,)
    events: ClassVar[dict[str, str]] = {LIMIT: ALL_SAID}

    def __init__(self, config: Config, settings: RoundsSettings) -> None:
        super().__init__()
        self.settings = settings
        self._roster = config.participants

    @cached_property
    def debaters(self) -> tuple[Participant, Participant]:
        a, b = (one for one in self._roster if one.role is Role.DEBATER)
        return a, b

    @property
    def a(self) -> Participant:
        return self.debaters[0]

    @property
    def b(self) -> Participant:
        return self.debaters[1]

    def opponent(self, debater: Participant) -> Participant:
        return self.b if debater.id == self.a.id else self.a

    @cached_property
    def judge(self) -> Participant | None:
        return next((one for one in self._roster if one.role is Role.JUDGE), None)

    def rounds(self, stage: str) -> int:
        del stage
        return self.settings.max_rounds

    def make(self, stage: str, round_: int) -> tuple[Speech, ...]:
        pair = (
            Speech(stage=stage, round=round_, speaker=self.a, number=0),
            Speech(stage=stage, round=round_, speaker=self.b, number=1, is_answer=True),
        )
        if not self.settings.think:
            return pair
        return tuple(part for speech in pair for part in thought_first(speech))

    def place(self, speech: Speech) -> Place:
        place = speech.round, speech.number
        return (*place, int(speech.kind is not StepKind.THINK)) if self.settings.think else place

    def stands(self, state: DebateState) -> tuple[str, int] | None:
        """The round that the debate is in, even in the judge's stage, which may come after every
        round; None once the bench is asked."""
        return None if state.stage in self.after else (DEBATE, max(state.round, 1))

    def last_round(self, state: DebateState) -> int:
        """The last round in which anybody will speak, as far as can be known now."""
        to_come = list(islice(self.spoken(state), 2))
        is_cut = len(to_come) == 1
        return to_come[0].round if is_cut else self.settings.max_rounds

    def is_over(self, state: DebateState) -> bool:
        """Whether nobody will speak any more but the judge."""
        return self.due(state) is None

    def most_calls(self) -> int:
        verdicts = self.settings.max_rounds if self.settings.judge_each_round else 1
        return self.most_speeches() + (verdicts if self.judge else 0)

    def judge_key(self, round_: int) -> str:
        return f"{VERDICT}/{round_}/{self.judge.id if self.judge else ''}/verdict"

    def is_judged(self, state: DebateState) -> bool:
        """Whether the judge has given the verdict on this round, or on what there is of it."""
        return self.judge_key(state.round) in state.turns

    def speakers(self, state: DebateState) -> Iterator[Participant]:
        """Who is still to be heard: A and B in every round, the judge where it is their turn."""
        is_judged_now = bool(state.statements) and (state.stage == VERDICT or state.ending)
        if self.judge and is_judged_now and not self.is_judged(state):
            yield self.judge
        last = None
        for speech in self.spoken(state):
            if self.judge and last and self.settings.judge_each_round and speech.number == 0:
                yield self.judge
            yield speech.speaker
            last = speech
        if self.judge and last:
            yield self.judge


def order_of(state: DebateState) -> RoundsOrder:
    return state.own_as(RoundsOrder)
