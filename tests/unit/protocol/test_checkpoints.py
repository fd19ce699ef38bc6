"""Between rounds: continue, guide or end; and a private note is in nobody else's prompt."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.unit.protocol.moderating import MODERATED, moderated
from tests.unit.protocol.playing import Play, duel, readable, rounds
from tests.unit.protocol.talk import Talk, talk

from moot.protocol.answers import Unreadable
from moot.protocol.checkpoints import CheckpointAnswer, checkpoint
from moot.protocol.registry import FORMATS
from moot.protocol.settings import RoundSettings
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.words import USER, Status, StepKind, StopReason, View, Visibility

ANSWER = CheckpointAnswer(people=(("ada", "Ada"), ("bo", "Bo")))
BY_FORMAT = {
    "rounds": lambda: rounds(max_rounds=3, checkpoint="every_round"),
    "duel": lambda: duel(turns=5, checkpoint="every_round"),
    "standard": lambda: moderated("standard", 2, max_rounds=3, checkpoint="every_round"),
    "custom": lambda: moderated("custom", 2, checkpoint="every_round"),
    "classic": lambda: moderated("classic", 2, checkpoint="every_round"),
}


def closer(name: str) -> str:
    """Who has the last word."""
    return "mo" if name in MODERATED else "judith"


def is_checkpoint(step: Step) -> bool:
    return step.participant == USER


def play_to_checkpoint(config: Config) -> tuple[Play, Step]:
    played = Play(FORMATS[config.format], config)
    while ready := played.ready():
        others = [step for step in ready if not is_checkpoint(step)]
        if not others:
            return played, ready[0]
        played.perform(others[0], readable(others[0]))
    raise AssertionError("there was no checkpoint")


def guide(note: str, **fields: Any) -> str:
    return json.dumps({"action": "guide", "note": note, **fields})


def rest(played: Play) -> str:
    """Everything that anybody is sent from here on, each line with its reader."""
    known = set(played.sent)
    played.run(lambda step: "continue" if is_checkpoint(step) else readable(step))
    return "\n".join(
        f"{sent.step.participant}: {line}"
        for key, sent in played.sent.items()
        if key not in known and not is_checkpoint(sent.step)
        for line in sent.text.splitlines()
    )


@pytest.mark.parametrize("name", BY_FORMAT)
def test_it_asks_between_rounds_and_not_after_the_last(name: str) -> None:
    played = Play(FORMATS[name], BY_FORMAT[name]())
    asked: list[Step] = []

    def reply(step: Step) -> str:
        if is_checkpoint(step):
            asked.append(step)
            return "continue"
        return readable(step)

    state = played.run(reply).state
    assert state.status is Status.COMPLETED
    assert [step.round for step in asked] == ([1] if name in ("duel", "classic") else [1, 2])
    assert {step.kind for step in asked} == {StepKind.ANSWER}
    places = [turn.place for turn in state.transcript()]
    assert places == sorted(places)


@pytest.mark.parametrize("name", BY_FORMAT)
def test_it_asks_nothing_unless_told_to(name: str) -> None:
    plain = BY_FORMAT[name]()
    config = msgspec.structs.replace(plain, settings={**plain.settings, "checkpoint": "none"})
    played = Play(FORMATS[name], config).run()
    assert USER not in played.state.own_turns


@pytest.mark.parametrize("name", BY_FORMAT)
def test_a_public_note_is_read_by_everybody_who_speaks_later(name: str) -> None:
    played, step = play_to_checkpoint(BY_FORMAT[name]())
    played.perform(step, guide("canary-public", to="bo"))
    assert played.state.turns[step.key].said.visibility is Visibility.PUBLIC
    told = rest(played)
    for reader, whom in (("ada", "Bo"), ("bo", "you"), (closer(name), "Bo")):
        assert f"{reader}: [User (guidance for {whom}, to be followed)]: canary-public" in told


@pytest.mark.parametrize("name", BY_FORMAT)
def test_a_private_note_is_read_by_the_addressed_alone(name: str) -> None:
    played, step = play_to_checkpoint(BY_FORMAT[name]())
    played.perform(step, guide("canary-private", to="bo", visibility="private"))
    assert played.state.turns[step.key].said.visibility is Visibility.PRIVATE
    lines = [line for line in rest(played).splitlines() if "canary-private" in line]
    assert lines
    assert {line.partition(":")[0] for line in lines} == {"bo"}


@pytest.mark.parametrize("view", list(View))
def test_notes_reach_a_prompt_of_every_view_in_their_place(view: View) -> None:
    played, step = play_to_checkpoint(rounds(max_rounds=2, checkpoint="every_round"))
    played.perform(step, guide("for ada", to="ada", visibility="private"))
    (speaking,) = played.ready()
    for reader, is_told in (("ada", True), ("bo", False)):
        looked = played.look(
            msgspec.structs.replace(speaking, participant=reader, view=view, key=f"x/{reader}")
        )
        found = [message.content for message in looked.history if "for ada" in message.content]
        assert found == (
            ["[User (guidance for you alone, to be followed)]: for ada"] if is_told else []
        )
        assert not found or looked.history[-1].content == found[0]


@pytest.mark.parametrize("name", BY_FORMAT)
def test_end_is_the_same_as_end(name: str) -> None:
    played, step = play_to_checkpoint(BY_FORMAT[name]())
    before = played.state.statements
    played.perform(step, '{"action": "end", "note": "judge the tone too"}')
    assert played.state.ending
    told = rest(played)
    assert played.state.status is Status.COMPLETED
    assert (played.state.stop_reason, played.state.statements) == (StopReason.ENDED, before)
    assert f"{closer(name)}: [User (guidance for all, to be followed)]: judge the tone too" in told


def test_it_does_not_hold_up_a_judge_who_still_weighs() -> None:
    played = Play(FORMATS["duel"], duel(turns=5, checkpoint="every_round"))
    ready = played.ready()
    while not any(map(is_checkpoint, ready)):
        mine = [step for step in ready if step.participant != "judith"] or list(ready)
        played.perform(mine[0], readable(mine[0]))
        ready = played.ready()
    assert {step.participant for step in ready} == {USER, "judith"}


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("continue", ("continue", "", "all", "public")),
        (" End. ", ("end", "", "all", "public")),
        (guide("n"), ("guide", "n", "all", "public")),
        (guide(" n ", to="Bo", visibility="private"), ("guide", "n", "bo", "private")),
        ('{"action": "continue", "note": "n"}', ("guide", "n", "all", "public")),
        ('{"action": "End", "note": ""}', ("end", "", "all", "public")),
    ],
)
def test_it_reads_what_a_person_chose(text: str, data: tuple[str, ...]) -> None:
    read = ANSWER.read(text)
    assert isinstance(read, dict)
    assert tuple(read.values()) == data


@pytest.mark.parametrize(
    "text",
    [
        "go on",
        "{}",
        guide(""),
        guide("n", to="cy"),
        guide("n", visibility="secret"),
        guide("n", whom="bo"),
        '{"action": "stop"}',
        '{"action": "guide", "note": 7}',
        guide("n" * 20_001),
    ],
)
def test_it_refuses_what_is_no_choice(text: str) -> None:
    assert isinstance(ANSWER.read(text), Unreadable)


def test_a_format_of_its_own_needs_one_line() -> None:
    played = Play(Talk(), talk("ann", "ben")).run(most=2)
    state: DebateState = played.state
    assert checkpoint(state, over=1, place=(1, 9)) is None
    state.settings = RoundSettings(checkpoint="every_round")
    step = checkpoint(state, over=1, place=(1, 9))
    assert step is not None
    assert (step.participant, step.key) == (USER, "talk/1/user/checkpoint")
    assert checkpoint(state, over=0, place=(0, 9)) is None
