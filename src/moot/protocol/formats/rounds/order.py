"""The order of seed 003: two debaters in rounds, where the judge comes in, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from moot.protocol import forms
from moot.protocol.answers import ECHO, Answer, Schema, Unreadable
from moot.protocol.bench.asking import STAGE as HEARING
from moot.protocol.order import ALL_SAID, LIMIT, Order, Speech, thought_first
from moot.protocol.outcomes import HIGHEST, LOWEST
from moot.protocol.parsing import read_number, read_object, words
from moot.protocol.settings import BenchSettings, MaxTokensJudge, Think, Words
from moot.protocol.state import DebateState
from moot.protocol.values import Config, Participant, Place
from moot.protocol.vocabulary import FormatWord
from moot.protocol.winners import meant
from moot.protocol.words import EXPIRED, PASSED, Role, StepKind

DEBATE, VERDICT = "debate", "verdict"
NO_ANSWER = {PASSED: "the judge passed", EXPIRED: "the judge did not answer in time"}

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


# --- what the judge answers -----------------------------------------------------------------------


class JudgeAnswer(Answer, frozen=True, kw_only=True):
    """Seed 003, "Structured judge verdict metadata". An unreadable answer decides nothing."""

    debaters: tuple[Participant, Participant]

    @property
    def schema(self) -> Schema:
        score = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
        properties = {
            "summary": {"type": "string"},
            "score_a": score,
            "score_b": score,
            "winner": {"type": "string", "enum": ["debater_a", "debater_b", "tie"]},
            "no_new_substantive_arguments": {"type": "boolean"},
        }
        return Schema(
            "judgement",
            {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        )

    @property
    def form(self) -> dict[str, Any]:
        names = [one.name for one in self.debaters]
        winners = [("debater_a", names[0]), ("debater_b", names[1]), ("tie", "A tie")]
        return forms.form(
            forms.number("score_a", f"Score of {names[0]}", minimum=LOWEST, maximum=HIGHEST),
            forms.number("score_b", f"Score of {names[1]}", minimum=LOWEST, maximum=HIGHEST),
            forms.choice("winner", "Winner", winners),
            forms.text("summary", "What decided it"),
            forms.truth("no_new_substantive_arguments", "Nothing new in the latest round"),
        )

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text)
        if isinstance(found, Unreadable):
            return found
        summary, quiet = found.get("summary"), found.get("no_new_substantive_arguments", False)
        if not isinstance(summary, str) or not summary.strip():
            return Unreadable("summary must be a text", "it gives no reasons")
        if not isinstance(quiet, bool):
            reason = "no_new_substantive_arguments must be true or false"
            return Unreadable(reason, "it does not say whether anything new was said")
        winner = self._winner(found.get("winner"))
        if winner is None:
            wanted = 'winner must be "debater_a", "debater_b" or "tie"'
            return Unreadable(wanted, "it names neither of the two as the winner, nor a tie")
        scores = [
            read_number(found.get(name), lowest=LOWEST, highest=HIGHEST, name=name)
            for name in ("score_a", "score_b")
        ]
        for score, debater in zip(scores, self.debaters, strict=True):
            if isinstance(score, Unreadable):
                return Unreadable(score.reason, f"it has no score from 0 to 10 for {debater.name}")
        return {
            "summary": summary.strip(),
            "score_a": scores[0],
            "score_b": scores[1],
            "winner": winner,
            "no_new_substantive_arguments": quiet,
        }

    def _winner(self, given: object) -> str | None:
        """Models write the id, the letter or the name; all of them mean the same."""
        if not isinstance(given, str):
            return None
        said = words(given)
        for letter, debater in zip("ab", self.debaters, strict=True):
            known = (debater.id, debater.name, letter, f"debater {letter}", f"debater_{letter}")
            if said in {words(name) for name in known}:
                return debater.id
        in_short = meant(given, [one.name for one in self.debaters])
        if in_short is not None:
            return next(one.id for one in self.debaters if one.name == in_short)
        return "tie" if said in {("tie",), ("draw",)} else None

    def fallback(self, reason: str) -> dict[str, Any]:
        """DESIGN section 9: shown as "no verdict"."""
        why = NO_ANSWER.get(reason, f"the judge's reply could not be read ({reason})")
        return {
            "summary": f"No verdict: {why}.",
            "score_a": None,
            "score_b": None,
            "winner": "undecided",
            "no_new_substantive_arguments": False,
            "fallback": True,
            "reason": reason,
        }

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        """If the reply could not be read, its own words are shown too, unless they only repeat the
        prompt."""
        if data is None:
            return text
        own = text if data.get("fallback") and data["reason"] != ECHO.reason else ""
        return f"{data['summary']}\n\n{own}".strip()
