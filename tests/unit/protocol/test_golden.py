"""Logs that were written once and must fold to the same state, and decide the same, for ever."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.golden.replay import HERE, expected_of, read_lines, read_log
from tests.unit.protocol.logs import snapshot

from moot.protocol import events as e, outcome_words, outcomes
from moot.protocol.log import fold
from moot.protocol.outcomes import OutcomeStatus, Solution, Summary, Verdict
from moot.protocol.registry import FORMATS

LOGS = sorted(HERE.glob("*.jsonl"))
golden = pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)


def test_there_is_a_golden_log_of_every_format() -> None:
    assert {fold(read_log(path)).config.format for path in LOGS} >= set(FORMATS)


@golden
def test_it_reaches_the_recorded_state_by_the_recorded_decisions(path: Path) -> None:
    expected = msgspec.json.decode(path.with_suffix(".expected.json").read_bytes())
    replayed = msgspec.json.decode(msgspec.json.encode(expected_of(read_log(path))))
    # The readable parts first: they say what changed, the digests only that something did.
    for part in ("state", "turns", "decisions", "state_sha256", "decisions_sha256"):
        assert replayed[part] == expected[part]


@golden
def test_it_still_writes_what_it_wrote(path: Path) -> None:
    for line in read_lines(path):
        assert e.encode(e.decode(bytes(line.body))) == bytes(line.body)


@golden
def test_it_folds_from_the_middle_as_from_the_start(path: Path) -> None:
    log = read_log(path)
    for middle in range(1, len(log), 7):
        state = fold(log[:middle])
        for record in log[middle:]:
            state.apply(record)
        assert snapshot(state) == snapshot(fold(log))


def test_it_covers_every_kind_of_event_that_a_version_has_written() -> None:
    kinds = {type(record.event).__name__ for path in LOGS for record in read_log(path)}
    assert {kind.__name__ for kind in e.Event.__subclasses__()} <= kinds


# What 0.1 wrote as plain objects, whose keys alone told what they were.
OUTCOMES: dict[str, outcomes.Outcome] = {
    "duel": Verdict(
        status=OutcomeStatus.DECIDED,
        winner="Ada",
        winner_id="ada",
        scores={"Ada": 0, "Bo": 0},
        confirmed_winner="Ada",
        premise_upheld=True,
        reasoning="On verdict/1/judith/announce:\n\n“Zahlen”, said Ada\u2019s {topic}, \\n, "
        "数学 — π ≈ 3.14159 🧮",
    ),
    "rounds": Verdict(
        status=OutcomeStatus.DECIDED,
        winner="Bo",
        winner_id="bo",
        scores={"Ada": 6.5, "Bo": 8},
        premise_upheld=False,
        reasoning="“debater_b”, all told.\nTwo lines of it.",
    ),
    "rounds_tie": Verdict(
        status=OutcomeStatus.DECIDED,
        is_tie=True,
        scores={"Ada": 7, "Bo": 7},
        reasoning="“tie”, all told.\nTwo lines of it.",
    ),
    "rounds_undecided": Verdict(
        status=OutcomeStatus.UNREADABLE,
        reasoning="No verdict: the judge's reply could not be read "
        "(there is no JSON object in it).",
    ),
    "standard": Summary(summary="<conclusion/1/mo/summarize/manual>", by="Mo", by_id="mo"),
    "custom": Summary(summary="<conclusion/1/mo/summarize>", by="Mo", by_id="mo"),
    "classic": Summary(summary="<conclusion/1/mo/summarize>", by="Mo", by_id="mo"),
    "council": Solution(
        status=OutcomeStatus.DECIDED,
        description="<synthesis/2/judith/synthesize>",
        trade_offs=("<synthesis/2/judith/synthesize>",),
        recommendations=("<synthesis/2/judith/synthesize>",),
        unfulfilled_requirements=("<synthesis/2/judith/synthesize>",),
        open_questions=("<synthesis/2/judith/synthesize>",),
        dissent=("<synthesis/2/judith/synthesize>",),
        confidence=0,
        decision={
            "rule": "vote",
            "winner": "Cy",
            "winner_id": "cy",
            "tied": [],
            "points": {"Cy": 2, "Ada": 1, "Bo": 0},
            "is_majority": True,
            "ballots": {"Ada": ["Cy"], "Bo": ["Cy"], "Cy": ["Ada"]},
        },
        before_debate={
            "winner": "Bo",
            "winner_id": "bo",
            "tied": [],
            "ratings": {"Ada": 35.0, "Bo": 90.0, "Cy": 35.0, "Di": 35.0},
            "proposals": {"Bo": "<proposal/1/bo/propose>"},
        },
        rounds=2,
        sat_out=("di",),
    ),
    "council_ended": Solution(
        status=OutcomeStatus.UNREADABLE,
        description="Both of them,\nsomehow.",
        decision={
            "rule": "rank",
            "winner": "Ada",
            "winner_id": "ada",
            "tied": [],
            "points": {"Bo": 0, "Ada": 1},
            "is_majority": False,
            "ballots": {"Ada": ["Ada", "Bo"], "Bo": []},
        },
        rounds=1,
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_outcome_that_says_no_type_opens_as_the_type_it_is(name: str) -> None:
    log = read_log(HERE / f"{name}.jsonl")
    written = log[-1].event
    assert isinstance(written, e.DebateCompleted)
    assert written.outcome is not None
    assert "type" not in written.outcome
    assert fold(log).outcome == OUTCOMES[name]


def test_a_tie_is_called_a_tie_and_an_unreadable_verdict_is_not() -> None:
    told = {
        name: outcome_words.headline(outcome)
        for name, outcome in OUTCOMES.items()
        if isinstance(outcome, Verdict)
    }
    assert told == {
        "duel": "Ada wins",
        "rounds": "Bo wins",
        "rounds_tie": "A tie",
        "rounds_undecided": "No verdict",
    }


def test_the_view_of_a_council_that_is_over_has_the_solution_that_was_recorded() -> None:
    """In 0.1 the text of a judge who could not be read was the solution of a vote too."""
    state = fold(read_log(HERE / "council_ended.jsonl"))
    assert FORMATS["council"].view(state).solution == state.outcome == OUTCOMES["council_ended"]  # type: ignore[union-attr]
