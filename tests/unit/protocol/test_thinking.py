"""`think: true`: a private thought before every statement, in rounds and in moderated debates."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from tests.unit.protocol.moderating import debaters, moderated
from tests.unit.protocol.playing import ADA, BO, JUDGE, Play, configured, play, rounds

from moot.protocol.registry import FORMATS
from moot.protocol.values import Config
from moot.protocol.words import HUMAN, StepKind, Visibility

WITH = [
    rounds(max_rounds=3, think=True),
    moderated("standard", 3, max_rounds=2, think=True),
    moderated("custom", 2, max_rounds=2, think=True),
    moderated("classic", 3, think=True),
]


def kinds(played: Play) -> list[tuple[str, str]]:
    return [(str(t.said.kind), t.said.participant) for t in played.state.transcript()]


@pytest.mark.parametrize("config", WITH, ids=lambda config: config.format)
def test_everybody_thinks_before_each_statement_and_nobody_else_reads_it(config: Config) -> None:
    played = play(config, lambda step: f"<{step.key}>" if step.answer.schema is None else "{}")
    turns = [turn.said for turn in played.state.transcript()]
    for before, said in pairwise(turns):
        is_debater = said.participant not in ("mo", "judith")
        if said.kind is StepKind.SPEAK and is_debater:
            assert (before.kind, before.participant) == (StepKind.THINK, said.participant)
    thoughts = [said for said in turns if said.kind is StepKind.THINK]
    assert thoughts
    for thought in thoughts:
        assert thought.visibility is Visibility.PRIVATE
        readers = {
            sent.step.participant
            for sent in played.sent.values()
            if thought.content in "\n".join(m.content for m in sent.history) + sent.prompt
        }
        assert readers == {thought.participant}
        assert "Do not write the statement yet." in thought.prompt


@pytest.mark.parametrize("config", WITH, ids=lambda config: config.format)
def test_the_forecast_counts_the_thoughts(config: Config) -> None:
    rules = FORMATS[config.format]
    assert rules.most_calls(config) == len(play(config).sent)
    silent = msgspec.structs.replace(config, settings={**config.settings, "think": False})
    said = len([kind for kind, _ in kinds(play(silent)) if kind == "speak"])
    statements = said - (3 if config.format == "classic" else config.format != "rounds")
    assert rules.most_calls(config) - rules.most_calls(silent) == statements


@pytest.mark.parametrize("config", WITH, ids=lambda config: config.format)
def test_who_speaks_next_is_not_said_twice(config: Config) -> None:
    rules = FORMATS[config.format]
    without = msgspec.structs.replace(config, settings={**config.settings, "think": False})
    for one in (config, without):
        played = Play(rules, one)
        played.ready()
        upcoming = rules.upcoming(played.state, played.now)
        assert len(upcoming) == len(rules.upcoming(Play(rules, without).state, played.now))


def test_it_is_off_by_default_and_people_think_by_themselves() -> None:
    assert ("think", "ada") not in kinds(play(rounds(max_rounds=1)))
    person = msgspec.structs.replace(BO, model=HUMAN)
    played = play(configured("rounds", (ADA, person, JUDGE), max_rounds=1, think=True))
    assert [kind for kind, who in kinds(played) if who == "bo"] == ["speak"]
    assert [kind for kind, who in kinds(played) if who == "ada"] == ["think", "speak"]


def test_the_last_statement_is_the_last_also_for_who_thinks_first() -> None:
    sent = play(rounds(max_rounds=2, think=True)).sent
    assert "your last statement, Ada" in sent["debate/2/ada/speak"].prompt
    assert "about to make your last statement" in sent["debate/2/bo/think"].prompt
    assert "about to open the debate" in sent["debate/1/ada/think"].prompt
    assert "You are about to speak, Bo." in sent["debate/1/bo/think"].prompt


@pytest.mark.parametrize("seconds", range(1, 14))
def test_a_limit_lets_the_other_side_think_and_answer(seconds: int) -> None:
    played = play(rounds(max_rounds=5, think=True, max_runtime_seconds=seconds))
    said = [who for kind, who in kinds(played) if kind == "speak"]
    assert said.count("ada") == said.count("bo")


def test_a_thought_knows_what_will_be_asked_for() -> None:
    roster = debaters(2)
    sent = play(configured("custom", roster, max_rounds=2, think=True)).sent
    thought, speech = (sent[f"discussion/2/bo/{kind}"] for kind in ("think", "speak"))
    task = speech.prompt.partition("\n\n")[2].removesuffix(" Write about 150 words.")
    assert f"  {task}\n" in thought.prompt
    assert thought.prompt.startswith("Stage: discussion. Round: 2 of 2. After you: nobody")
