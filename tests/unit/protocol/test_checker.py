"""What can be proven of a format before anything runs, and that planted faults are found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import msgspec
import pytest
from tests.unit.protocol.examples import ALL
from tests.unit.protocol.playing import Play, duel, play, readable
from tests.unit.protocol.talk import Talk, talk

from moot.errors import IllegalEvent, InvalidInput
from moot.prompts import render
from moot.protocol import deciding
from moot.protocol.answers import Text, Unreadable
from moot.protocol.checker import check, problems, rehearse
from moot.protocol.machine import END, START, Format, Rounds, Stage, Transition, mermaid, walk
from moot.protocol.registry import FORMATS
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Finish, Idle, Next, Prompt, Run, Step
from moot.protocol.values import Config, Participant, Usage
from moot.protocol.words import USER, Status, StepKind, StopReason

GOOD = (
    Transition(source=None, event=START, target="one"),
    Transition(source="one", event="ON", target="two"),
    Transition(source="one", event=END, target="two"),
    Transition(source="two", event="OUT", target=None),
)


def stage(name: str, emits: str | None = None) -> Stage:
    return Stage(name=name, about="", steps=lambda _state: (), emits=lambda _state: emits)


def form(*transitions: Transition, stages: Sequence[Stage] | None = None) -> Talk:
    made = Talk()
    made.stages = tuple(stages or (stage("one", "ON"), stage("two", "OUT")))
    made.transitions = transitions
    return made


def reply(step: Step, _state: DebateState) -> str:
    return readable(step)


@pytest.mark.parametrize("name", FORMATS)
def test_it_finds_nothing_wrong_with_the_registered_formats(name: str) -> None:
    assert problems(FORMATS[name]) == []


def test_it_finds_nothing_wrong_with_sound_tables() -> None:
    assert problems(form(*GOOD)) == []
    assert problems(Talk()) == []


@pytest.mark.parametrize(
    ("transitions", "stages", "expected"),
    [
        pytest.param(
            GOOD,
            (stage("one"), stage("two"), stage("three")),
            [
                "three cannot be reached",
                "three never leads to the end",
                "three has no way out for END",
            ],
            id="unreachable stage",
        ),
        pytest.param(
            (*GOOD[:3], Transition(source="two", event="BACK", target="one")),
            None,
            [
                "one never leads to the end",
                "two never leads to the end",
                "two has no way out for END",
            ],
            id="no way to the end",
        ),
        pytest.param(
            (*GOOD, Transition(source="two", event="ODD", target="nowhere")),
            None,
            ["nowhere is no stage"],
            id="unknown target",
        ),
        pytest.param(
            (*GOOD, Transition(source="nowhere", event="ODD", target="one")),
            None,
            ["nowhere is no stage"],
            id="unknown source",
        ),
        pytest.param(
            (GOOD[0], GOOD[1], GOOD[3]), None, ["one has no way out for END"], id="missing END"
        ),
        pytest.param(
            GOOD,
            (stage("one"), stage("two"), stage("two")),
            ["two is declared twice", "two is declared twice"],
            id="declared twice",
        ),
        pytest.param(
            GOOD,
            (msgspec.structs.replace(stage("one", "ON"), closes=True), stage("two", "OUT")),
            ["one begins the debate and cannot close it"],
            id="nothing but a closing stage",
        ),
    ],
)
def test_it_finds_the_fault(
    transitions: tuple[Transition, ...], stages: Sequence[Stage] | None, expected: list[str]
) -> None:
    assert problems(form(*transitions, stages=stages)) == expected


@pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])
def test_it_never_makes_more_calls_than_promised(config: Config) -> None:
    made = rehearse(FORMATS[config.format], config, reply)
    assert made.state.status is Status.COMPLETED
    calls = [step for step in made.steps if step.participant != USER]
    assert len(calls) <= FORMATS[config.format].most_calls(config)
    assert len({step.key for step in made.steps}) == len(made.steps)
    assert len({step.place for step in made.steps}) == len(made.steps)


@pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])
def test_it_rehearses_what_is_played(config: Config) -> None:
    made = rehearse(FORMATS[config.format], config, reply)
    played = play(config)
    assert list(made.state.turns) == list(played.state.turns)
    assert made.state.outcome == played.state.outcome


def test_it_counts_the_same_calls_one_at_a_time_as_all_at_once() -> None:
    at_once = rehearse(Talk(), talk("a", "b"), reply)
    singly = rehearse(Talk(), talk("a", "b"), reply, lambda steps: steps[:1])
    assert (at_once.rounds, singly.rounds) == (4, 8)
    assert len(at_once.steps) == len(singly.steps) == 8


class Endless(Talk):
    """Always another round."""

    transitions: tuple[Transition, ...] = (
        Transition(source=None, event=START, target="talk"),
        Transition(source="talk", event="ROUND_SAID", target="talk", rounds=Rounds.NEXT),
        Transition(source="talk", event="ALL_SAID", target="talk", rounds=Rounds.NEXT),
        Transition(source="talk", event=END, target=None),
    )


def test_it_notices_a_format_that_never_ends() -> None:
    with pytest.raises(IllegalEvent, match="does not end within"):
        rehearse(Endless(), talk("a"), reply)


def test_it_notices_a_format_that_goes_round_in_circles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "MOST_MOVES", 50)
    circle = form(
        GOOD[0],
        Transition(source="one", event="ON", target="two"),
        Transition(source="two", event="OUT", target="one"),
    )
    with pytest.raises(IllegalEvent, match="in circles"):
        rehearse(circle, talk("a"), reply)


class Still(Talk):
    def next(self, state: DebateState, now: datetime) -> Next:
        return Idle("nobody is there")


def test_it_notices_a_format_that_stands_still() -> None:
    with pytest.raises(IllegalEvent, match="stands still: nobody is there"):
        rehearse(Still(), talk("a"), reply)


def test_it_refuses_an_event_that_leads_nowhere() -> None:
    lost = form(GOOD[0], stages=(stage("one", "LOST"),))
    with pytest.raises(IllegalEvent, match="has no transition for LOST in the stage one"):
        rehearse(lost, talk("a"), reply)


def test_it_takes_the_first_row_whose_guard_holds() -> None:
    def never(_state: DebateState) -> bool:
        return False

    guarded = form(
        GOOD[0],
        Transition(source="one", event="ON", target="three", guard=never),
        Transition(source="one", event="ON", target=None),
        stages=(stage("one", "ON"), stage("three")),
    )
    made = rehearse(guarded, talk("a"), reply)
    assert made.state.stage == "one"
    assert made.state.stop_reason is StopReason.DONE


def test_it_says_idle_when_a_stage_has_nothing_open() -> None:
    made = form(GOOD[0], stages=(stage("one", None),))
    rehearsed = rehearse(Talk(), talk("a"), reply).log[:2]
    state = DebateState(rehearsed[0], made)
    state.apply(rehearsed[1])
    state.stage = "one"
    assert isinstance(walk(made, state), Idle)


# --- limits are obeyed, whatever a format does ----------------------------------------------------


class Heedless(Talk):
    """Talk never looks at limits; so that there is something to close, somebody sums it up."""

    name = "heedless"
    stages: tuple[Stage, ...] = (
        *Talk.stages,
        Stage(
            name="close",
            about="Ann sums up.",
            steps=lambda state: [summing_up(state)],
            emits=lambda state: "OUT" if "close/1/ann/summarize" in state.turns else None,
            closes=True,
        ),
    )
    transitions: tuple[Transition, ...] = (
        *Talk.transitions[:2],
        Transition(source="talk", event="ALL_SAID", target="close"),
        Transition(source="talk", event=END, target="close"),
        Transition(source="close", event="OUT", target=None),
    )

    def most_calls(self, config: Config) -> int:
        return super().most_calls(config) + 1


def summing_up(state: DebateState) -> Step:
    return Step(
        key=f"close/{max(1, state.round)}/ann/summarize",
        participant="ann",
        kind=StepKind.SUMMARIZE,
        stage="close",
        round=max(1, state.round),
        place=(9, state.round),
        prompt=Prompt("verbatim", {"text": state.config.topic}),
        system=Prompt("verbatim", {"text": ""}),
    )


@pytest.mark.parametrize("after", range(8))
def test_a_format_that_ignores_limits_begins_nothing_past_one(after: int) -> None:
    def one(steps: Sequence[Step]) -> Sequence[Step]:
        return steps[:1]

    made = rehearse(Talk(), talk("ann", "ben"), reply, one, limit_after=after)
    assert len(made.steps) == after
    assert made.state.status is Status.COMPLETED
    assert made.state.stop_reason is StopReason.MAX_TOKENS
    closed = rehearse(Heedless(), talk("ann", "ben"), reply, one, limit_after=after)
    assert [step.key for step in closed.late] == ["close/1/ann/summarize"]
    assert closed.state.stop_reason is StopReason.MAX_TOKENS


def test_by_its_own_settings_too() -> None:
    plain = talk("ann", "ben")
    settings = {**plain.settings, "max_total_output_tokens": 1}
    played = Play(Talk(), msgspec.structs.replace(plain, settings=settings))
    first = played.ready()[0]
    played.perform(first, "words", usage=Usage(output_tokens=1))
    assert played.ready() == ()
    assert (played.state.calls, played.state.stop_reason) == (1, StopReason.MAX_TOKENS)


def test_a_format_that_does_without_the_tables_obeys_as_well() -> None:
    class Endless(Talk):
        """Its own idea of what comes next, and no row that leads to an end."""

        transitions: tuple[Transition, ...] = ()

        def next(self, state: DebateState, now: datetime) -> Next:
            del now
            step = msgspec.structs.replace(summing_up(state), stage="talk", key=str(state.seq))
            return Run((msgspec.structs.replace(step, place=(state.seq,)),))

    made = rehearse(Endless(), talk("ann"), reply, limit_after=3)
    assert (len(made.steps), made.state.stop_reason) == (3, StopReason.MAX_TOKENS)


# --- what `check` finds ---------------------------------------------------------------------------


def faults(rules: Format) -> dict[str, str]:
    return {one.what: one.detail for one in check(rules, render) if not one.ok}


@pytest.mark.parametrize("name", FORMATS)
def test_it_checks_the_registered_formats(name: str) -> None:
    found = check(FORMATS[name], render)
    assert [one.what for one in found if not one.ok] == []
    assert [one.what for one in found] == [
        "the tables are sound",
        "a rehearsal comes to its end",
        "it makes no more calls than it says",
        "no chain is longer than it says",
        "every step can be asked for",
        "it can be looked at",
        "limits are obeyed",
        "private text stays private",
    ]


@pytest.mark.parametrize(("turns", "judge"), [(1, True), (6, True), (7, False), (100, True)])
def test_a_duel_counts_its_calls_and_its_longest_chain_from_its_order(
    turns: int, judge: bool
) -> None:
    config = duel(turns=turns, judge=judge)
    made = rehearse(FORMATS["duel"], config, reply)
    calls, chain = (4 * turns + 6, 2 * turns + 7) if judge else (2 * turns + 2, 2 * turns + 1)
    assert (len(made.steps), made.rounds) == (calls, chain)
    assert FORMATS["duel"].most_calls(config) == calls
    assert FORMATS["duel"].longest_chain(config) == chain


@pytest.mark.parametrize("config", [c for _, c in ALL], ids=[name for name, _ in ALL])
def test_no_chain_is_longer_than_promised(config: Config) -> None:
    waits: list[bool] = []

    def all_of(steps: Sequence[Step]) -> Sequence[Step]:
        waits.append(any(step.participant != USER for step in steps))
        return steps

    rehearse(FORMATS[config.format], config, reply, all_of)
    assert sum(waits) <= FORMATS[config.format].longest_chain(config)


class Greedy(Talk):
    """Says of all its steps that they are owed."""

    stages: tuple[Stage, ...] = (
        Stage(
            name="talk",
            about="",
            steps=lambda state: [
                msgspec.structs.replace(step, is_owed=True) for step in Talk.stages[0].steps(state)
            ],
            emits=Talk.stages[0].emits,
        ),
    )


def test_it_finds_a_format_that_owes_itself_everything() -> None:
    found = faults(Greedy())
    assert list(found) == ["limits are obeyed"]
    assert "talk/1/ann/think begins after a limit, and nobody is owed it" in found.popitem()[1]


MOST_SUMMARIES = 5


class NeverClosed(Heedless):
    """Sums up again and again in the stage that closes it."""

    stages: tuple[Stage, ...] = (
        *Talk.stages,
        Stage(
            name="close",
            about="Ann sums up, round after round.",
            steps=lambda state: [summing_up(state)],
            emits=lambda state: "AGAIN" if summing_up(state).key in state.turns else None,
            closes=True,
        ),
    )
    transitions: tuple[Transition, ...] = (
        *Heedless.transitions[:4],
        Transition(
            source="close",
            event="AGAIN",
            target="close",
            guard=lambda state: state.round < MOST_SUMMARIES,
            rounds=Rounds.NEXT,
        ),
        Transition(source="close", event="AGAIN", target=None),
    )

    def most_calls(self, config: Config) -> int:
        return super().most_calls(config) + MOST_SUMMARIES


def test_it_finds_a_format_that_does_not_stop_closing() -> None:
    found = faults(NeverClosed())
    assert list(found) == ["limits are obeyed"]
    assert "close/5/ann/summarize begins after a limit, and nobody is owed it" in found.popitem()[1]


class Gossip(Talk):
    """Tells everybody what the others thought."""

    stages: tuple[Stage, ...] = (
        Stage(
            name="talk",
            about="",
            steps=lambda state: [
                msgspec.structs.replace(step, prompt=Prompt("verbatim", {"text": _thoughts(state)}))
                for step in Talk.stages[0].steps(state)
            ],
            emits=Talk.stages[0].emits,
        ),
    )


def _thoughts(state: DebateState) -> str:
    return " ".join(["It was thought:", *(turn.said.content for turn in state.transcript())])


def changed(**changes: object) -> type[Talk]:
    """A format whose steps are those of Talk, but for that."""

    class Changed(Talk):
        stages: tuple[Stage, ...] = (
            msgspec.structs.replace(
                Talk.stages[0],
                steps=lambda state: [
                    msgspec.structs.replace(step, **changes) for step in Talk.stages[0].steps(state)
                ],
            ),
        )

    return Changed


class Careless(Text, frozen=True, kw_only=True):
    """Breaks when it reads."""

    def read(self, text: str) -> dict[str, Any] | Unreadable | None:
        raise ZeroDivisionError(text)


@pytest.mark.parametrize(
    ("rules", "what", "detail"),
    [
        (
            changed(prompt=Prompt("no_such_prompt", {})),
            "every step can be asked for",
            "talk/1/ann/think: there is no prompt called no_such_prompt",
        ),
        (
            changed(prompt=Prompt("verbatim", {})),
            "every step can be asked for",
            "talk/1/ann/think: prompt verbatim needs text",
        ),
        (
            changed(place=(1, 1)),
            "every step can be asked for",
            "talk/1/ann/think and talk/1/ann/speak have the same place",
        ),
        (
            changed(participant="nobody"),
            "a rehearsal comes to its end",
            "the step talk/1/ann/think is for 'nobody', who does not take part",
        ),
        (
            changed(not_before=datetime(2026, 1, 1)),  # noqa: DTZ001 - that is the mistake
            "a rehearsal comes to its end",
            "the step talk/1/ann/think has a time without a time zone",
        ),
        (changed(answer=Careless()), "a rehearsal comes to its end", "ZeroDivisionError"),
    ],
)
def test_it_finds_steps_that_nobody_can_be_asked_for(
    rules: type[Talk], what: str, detail: str
) -> None:
    assert detail in faults(rules())[what]


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        (None, "it said None when it was asked what is next"),
        ("next", "it said 'next' when it was asked what is next"),
        (Run(("a step",)), "'a step' is no step"),  # type: ignore[arg-type]
        (Finish(StopReason.DONE, "Ann"), "'Ann' is nothing that a debate can end with"),  # type: ignore[arg-type]
    ],
)
def test_it_finds_a_format_that_does_not_say_what_is_next(said: Any, detail: str) -> None:
    class Vague(Talk):
        def next(self, state: DebateState, now: datetime) -> Next:
            del state, now
            return cast("Next", said)

    assert faults(Vague())["a rehearsal comes to its end"] == detail


def test_it_finds_private_text_in_anothers_prompt() -> None:
    found = faults(Gossip())
    assert list(found) == ["private text stays private"]
    assert "talk/1/ann/think is private and reaches talk/1/ben/speak" in found.popitem()[1]


class Boaster(Talk):
    def most_calls(self, config: Config) -> int:
        return len(config.participants)


def test_it_finds_a_format_that_makes_more_calls_than_it_says() -> None:
    found = faults(Boaster())
    assert found["it makes no more calls than it says"] == "12 of at most 3"
    assert found["no chain is longer than it says"] == "4 of at most 3"


def test_it_says_so_if_a_format_does_not_end_or_can_be_cast_with_nobody() -> None:
    class Picky(Talk):
        def cast(
            self, settings: Settings, participants: tuple[Participant, ...]
        ) -> tuple[Participant, ...]:
            raise InvalidInput("nobody is good enough", field="participants")

    assert "does not end" in faults(Endless())["a rehearsal comes to its end"]
    assert "give it a default" in faults(Picky())["a rehearsal comes to its end"]


# --- the diagram ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_it_draws_every_transition_of_the_tables(name: str) -> None:
    lines = mermaid(FORMATS[name]).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert len(lines) == len(FORMATS[name].transitions) + 1
    for row, line in zip(FORMATS[name].transitions, lines[1:], strict=True):
        assert line.startswith(f"    {row.source or '[*]'} --> {row.target or '[*]'}: {row.event}")
        assert line.endswith("]") == (row.guard is not None)


def test_it_names_guards_in_words() -> None:
    assert "    opening --> verdict: ALL_SAID [has judge]" in mermaid(FORMATS["duel"]).splitlines()
