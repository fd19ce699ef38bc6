"""Scores and verdicts as models write them, and what follows from them."""

from __future__ import annotations

import json
from itertools import product

import msgspec
import pytest
from hypothesis import given, settings
from tests.unit.protocol.test_parsing import ANY_TEXT, MONSTERS

from moot.prompts import render
from moot.protocol.answers import ECHO, OnUnreadable, Text, Unreadable
from moot.protocol.formats.duel.answers import (
    AnnouncementAnswer,
    NameAnswer,
    ScoreAnswer,
    VerdictAnswer,
    compared,
    settle,
)
from moot.protocol.outcomes import OutcomeStatus, Verdict
from moot.protocol.steps import Prompt

NAMES = ("Sam", "Samantha")


@settings(max_examples=100, deadline=None)
@given(text=ANY_TEXT)
def test_it_reads_any_reply_without_raising(text: str) -> None:
    for answer in (
        ScoreAnswer(),
        VerdictAnswer(names=NAMES),
        VerdictAnswer(names=NAMES, confirmed="Sam"),
    ):
        assert isinstance(answer.read(text), dict | Unreadable)
    assert isinstance(NameAnswer(names=NAMES).read(text), dict)
    assert isinstance(AnnouncementAnswer(verdict={}).read(text), dict | Unreadable)


@pytest.mark.parametrize("name", MONSTERS)
def test_it_reads_monsters_without_raising(name: str) -> None:
    for answer in (ScoreAnswer(), VerdictAnswer(names=NAMES)):
        assert isinstance(answer.read(MONSTERS[name]), Unreadable)


def scored(score: str) -> str:
    return f'{{"score": {score}, "reasoning": "Because."}}'


@pytest.mark.parametrize(
    ("score", "expected"), [("0", 0), ("7", 7), ("10", 10), ("7.0", 7), ("1e1", 10), ("-0", 0)]
)
def test_it_reads_a_score(score: str, expected: int) -> None:
    read = ScoreAnswer().read(scored(score))
    assert read == {"score": expected, "reasoning": "Because."}
    assert isinstance(read, dict)
    assert type(read["score"]) is int


@pytest.mark.parametrize(
    "score",
    [
        '"7"',
        "11",
        "-1",
        "true",
        "false",
        "7.5",
        "null",
        "1e999",
        "NaN",
        "[7]",
        '{"value": 7}',
        "9" * 5000,
    ],
)
def test_it_refuses_a_score(score: str) -> None:
    assert isinstance(ScoreAnswer().read(scored(score)), Unreadable)


def test_it_refuses_a_missing_score_and_says_what_is_wanted() -> None:
    assert ScoreAnswer().read('{"reasoning": "x"}') == Unreadable(
        "score must be a whole number from 0 to 10"
    )


@pytest.mark.parametrize("reasoning", ["", '"reasoning": null', '"reasoning": 7'])
def test_it_can_do_without_a_reasoning(reasoning: str) -> None:
    text = f'{{"score": 7{", " if reasoning else ""}{reasoning}}}'
    assert ScoreAnswer().read(text) == {"score": 7, "reasoning": ""}


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ('{"score": 7} {"score": 8}', False),
        ('{"score": 7} {"score": 7}', True),
        ('```json\n{"score": 7}\n```', True),
        ('My score is {"score": 7}.', True),
        ("7", False),
        ("7/10", False),
    ],
)
def test_it_reads_a_score_amid_prose(text: str, is_read: bool) -> None:
    assert isinstance(ScoreAnswer().read(text), dict) is is_read


def verdict(winner: object = "Sam", **scores: object) -> str:
    return json.dumps({"winner": winner, "scores": scores})


def test_it_reads_a_verdict() -> None:
    expected = {"winner": "Sam", "scores": {"Sam": 8, "Samantha": 5}}
    for winner in ("Sam", "sam", "Sam.", " SAM "):
        assert VerdictAnswer(names=NAMES).read(verdict(winner, Sam=8, Samantha=5)) == expected
    extra = verdict("Sam", sam=8, SAMANTHA=5.0, Bo=3)
    assert VerdictAnswer(names=NAMES).read(extra) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (verdict("Bo", Sam=8, Samantha=6), "winner must be 'Sam' or 'Samantha'"),
        (verdict("Sam and Samantha", Sam=8, Samantha=6), "winner must be 'Sam' or 'Samantha'"),
        (verdict(None, Sam=8, Samantha=6), "winner must be 'Sam' or 'Samantha'"),
        (verdict(["Sam"], Sam=8, Samantha=6), "winner must be 'Sam' or 'Samantha'"),
        ('{"scores": {"Sam": 8, "Samantha": 6}}', "winner must be 'Sam' or 'Samantha'"),
        ('{"winner": "Sam"}', "scores must be an object with a score for each name"),
        (
            '{"winner": "Sam", "scores": [8, 6]}',
            "scores must be an object with a score for each name",
        ),
        (verdict("Sam", Sam=8), "the score of Samantha must be a whole number from 0 to 10"),
        (
            verdict("Sam", Sam="8", Samantha=6),
            "the score of Sam must be a whole number from 0 to 10",
        ),
        (
            verdict("Sam", Sam=11, Samantha=6),
            "the score of Sam must be a whole number from 0 to 10",
        ),
        (
            verdict("Sam", Sam=True, Samantha=6),
            "the score of Sam must be a whole number from 0 to 10",
        ),
        (
            verdict("Sam", Sam=7.5, Samantha=6),
            "the score of Sam must be a whole number from 0 to 10, not 7.5",
        ),
        ("Sam won 8 to 6", "there is no JSON object in it"),
    ],
)
def test_it_refuses_a_verdict_and_says_why(text: str, reason: str) -> None:
    found = VerdictAnswer(names=NAMES).read(text)
    assert isinstance(found, Unreadable)
    assert found.reason == reason
    assert "must be" not in found.for_people or "score of" in found.for_people


def test_it_refuses_a_winner_that_contradicts_the_confirmation() -> None:
    answer = VerdictAnswer(names=NAMES, confirmed="Samantha")
    assert answer.read(verdict("Sam", Sam=8, Samantha=6)) == Unreadable(
        "winner must be 'Samantha', as you confirmed",
        "it names Sam, and the judge had confirmed another",
    )
    assert isinstance(answer.read(verdict("Samantha", Sam=8, Samantha=6)), dict)


def test_it_accepts_either_winner_without_a_confirmation() -> None:
    for winner in NAMES:
        assert isinstance(VerdictAnswer(names=NAMES).read(verdict(winner, Sam=1, Samantha=1)), dict)


@pytest.mark.parametrize(
    ("text", "expected"), [("Sam", "Sam"), ("samantha!", "Samantha"), ("both", None), ("", None)]
)
def test_it_takes_none_or_several_names_for_nobody(text: str, expected: str | None) -> None:
    assert NameAnswer(names=NAMES).read(text) == {"confirmed_winner": expected}


def test_it_describes_its_answers_by_schemas_that_hold_the_model_to_them() -> None:
    score = ScoreAnswer().schema.body
    assert score["required"] == ["score", "reasoning"]
    assert score["properties"]["score"] == {"type": "integer", "minimum": 0, "maximum": 10}
    held = VerdictAnswer(names=NAMES, confirmed="Sam").schema.body
    assert held["properties"]["winner"]["enum"] == ["Sam"]
    assert held["properties"]["scores"]["required"] == ["Sam", "Samantha"]
    assert held["additionalProperties"] is False
    assert VerdictAnswer(names=NAMES).schema.body["properties"]["winner"]["enum"] == [
        "Sam",
        "Samantha",
    ]
    assert NameAnswer(names=NAMES).schema is None


def test_it_carries_the_verdict_with_its_announcement() -> None:
    answer = AnnouncementAnswer(verdict={"winner": "Sam"})
    assert answer.read("I say Sam.") == {"winner": "Sam", "reasoning": "I say Sam."}
    assert answer.read(" \n") == Unreadable("the reply was empty")
    assert answer.fallback("the reply was empty") == {"winner": "Sam", "reasoning": ""}


@pytest.mark.parametrize(
    ("answer", "recorded"),
    [
        (ScoreAnswer(), None),
        (NameAnswer(names=NAMES), None),
        (VerdictAnswer(names=NAMES), {"winner": None, "scores": None, "reason": "why"}),
    ],
)
def test_it_goes_on_without_inventing_when_nothing_could_be_read(
    answer: ScoreAnswer | NameAnswer | VerdictAnswer, recorded: dict[str, object] | None
) -> None:
    assert answer.on_unreadable is OnUnreadable.RECORD
    assert answer.fallback("why") == recorded


def test_it_takes_the_figures_of_the_example_only_from_a_judge_who_has_named_somebody() -> None:
    prompt = render(Prompt("duel/record_open", {"a": "Sam", "b": "Samantha"}))
    example = next(line for line in prompt.split("\n") if line.startswith("{"))
    assert VerdictAnswer(names=NAMES).read(example) == ECHO
    confirmed = VerdictAnswer(names=NAMES, confirmed="Sam").read(example)
    assert confirmed == {"winner": "Sam", "scores": {"Sam": 8, "Samantha": 6}}
    assert VerdictAnswer(names=NAMES, named="Sam").read(example) == confirmed
    assert VerdictAnswer(names=NAMES, named="Samantha").read(example) == ECHO


def test_it_takes_them_from_nobody_who_has_scored_nothing_before() -> None:
    for name in NAMES:
        silent = VerdictAnswer(names=NAMES, confirmed=name, has_scored=False)
        assert silent.read(verdict(name, Sam=8, Samantha=6)) == ECHO
        own = {"winner": name, "scores": {"Sam": 8, "Samantha": 5}}
        assert silent.read(verdict(name, Sam=8, Samantha=5)) == own


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I find for Samantha.", "Samantha"),
        ("The premise is rejected.", "Samantha"),
        ("Sam wins, and the premise is upheld.", None),
        ("A fine debate.", None),
    ],
)
def test_words_that_say_otherwise_contest_a_verdict(text: str, told: str | None) -> None:
    extracted = {"winner": "Sam", "scores": {"Sam": 7, "Samantha": 5}}
    verdict = settle(IDS, confirmed="Sam", extracted=extracted, upholds="Sam")
    found = msgspec.convert(compared(verdict, text, NAMES), Verdict)
    assert (found.winner, found.told, found.is_contested) == ("Sam", told, told is not None)


@pytest.mark.parametrize(
    ("text", "winner"),
    [("I say Sam.", "Sam"), ("SAM, clearly", "Sam"), ("Samantha wins", None), ("Well done", None)],
)
def test_a_winner_that_only_the_record_names_must_be_announced(text: str, winner: str) -> None:
    extracted = {"winner": "Sam", "scores": {"Sam": 7, "Samantha": 5}}
    verdict = settle(IDS, confirmed=None, extracted=extracted, upholds="Sam")
    read = AnnouncementAnswer(verdict=verdict, names=NAMES, unnamed="Sam").read(text)
    assert isinstance(read, dict)
    found = msgspec.convert(read, Verdict)
    assert (found.winner, found.is_unconfirmed) == (winner, winner is not None)
    if winner is None:
        assert (found.status, found.scores) == (OutcomeStatus.UNREADABLE, None)
        assert found.premise_upheld is None
        assert "confirmed nobody" in found.reason


def test_it_fails_a_statement_that_stays_blank() -> None:
    assert Text().on_unreadable is OnUnreadable.FAIL
    assert Text().read("\n\t ") == Unreadable("the reply was empty")
    assert Text().read("x") is None
    assert Text().shown("x", None) == "x"


# --- what follows ---------------------------------------------------------------------------------

IDS = {"s": "Sam", "t": "Samantha"}
EXTRACTED = [
    None,
    {"winner": "Sam", "scores": {"Sam": 8, "Samantha": 6}},
    {"winner": "Sam", "scores": {"Sam": 3, "Samantha": 6}},
    {"winner": "Samantha", "scores": {"Sam": 5, "Samantha": 5}},
]


@pytest.mark.parametrize(
    ("confirmed", "extracted", "upholds"),
    list(product([None, "Sam", "Samantha"], EXTRACTED, [None, "Sam", "Samantha"])),
)
def test_it_settles_every_combination(
    confirmed: str | None, extracted: dict[str, object] | None, upholds: str | None
) -> None:
    settled = settle(IDS, confirmed=confirmed, extracted=extracted, upholds=upholds)
    winner = extracted["winner"] if extracted else confirmed
    assert settled["winner"] == winner
    assert settled["winner_id"] == {None: None, "Sam": "s", "Samantha": "t"}[winner]  # type: ignore[index]
    assert settled["scores"] == (extracted["scores"] if extracted else None)
    assert settled["confirmed_winner"] == confirmed
    assert settled["premise_upheld"] is (None if None in (winner, upholds) else winner == upholds)
    expected = "decided" if extracted else "scores_unknown" if confirmed else "unreadable"
    assert settled["status"] == expected
    assert settled["is_contested"] is (extracted in EXTRACTED[2:])
    assert settled["is_unconfirmed"] is (winner is not None and confirmed is None)
    assert msgspec.json.decode(msgspec.json.encode(settled)) == settled


def test_it_says_why_there_is_no_verdict() -> None:
    spoilt = {"winner": None, "scores": None, "reason": "the reply was empty"}
    settled = settle(IDS, confirmed=None, extracted=spoilt, upholds="Sam")
    assert (settled["status"], settled["reason"]) == ("unreadable", "the reply was empty")
    known = settle(IDS, confirmed="Sam", extracted=spoilt, upholds="Sam")
    assert (known["status"], known["winner"]) == ("scores_unknown", "Sam")
