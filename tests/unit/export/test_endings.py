"""How a debate came out, said alike in every document."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.golden.replay import HERE, read_log
from tests.unit.export import samples
from tests.unit.protocol.playing import Play, readable, rounds

from moot.export import render
from moot.protocol import events as e
from moot.protocol.formats.rounds.rules import RoundsFormat
from moot.protocol.outcome_words import CONTESTED
from moot.protocol.steps import Step
from moot.protocol.words import StepKind

TIE = {
    "summary": "Both stood their ground.",
    "score_a": 6,
    "score_b": 6,
    "winner": "tie",
    "no_new_substantive_arguments": False,
}


def tied() -> list[e.Recorded]:
    def reply(step: Step) -> str:
        return json.dumps(TIE) if step.kind is StepKind.VERDICT else readable(step)

    return Play(RoundsFormat(), rounds(max_rounds=1)).run(reply).log


@pytest.mark.parametrize("kind", ["md", "html", "csv", "json"])
def test_a_tie_is_a_tie_in_every_document(kind: str) -> None:
    text = render(tied(), kind, debate_id="d")
    assert "A tie" in text
    assert "No verdict" not in text


def test_a_tie_has_its_scores_and_no_doubt_about_it() -> None:
    text = render(tied(), "md", debate_id="d")
    assert "| Ada | 6 |" in text
    assert "| Bo | 6 |" in text
    assert "**Note.**" not in text


def test_json_has_the_outcome_with_its_type() -> None:
    debate = json.loads(render(tied(), "json", debate_id="d"))["debate"]
    assert debate["headline"] == "A tie"
    outcome = debate["outcome"]
    assert (outcome["type"], outcome["is_tie"], outcome["winner"]) == ("verdict", True, None)


def test_the_last_row_of_a_table_has_the_outcome_and_no_other() -> None:
    rows = list(csv.DictReader(io.StringIO(render(samples.log(), "csv", debate_id="d"))))
    assert [row["outcome"] for row in rows] == [*[""] * (len(rows) - 1), "Ada wins"]


def test_the_table_has_what_is_doubtful_in_the_words_of_the_other_exports() -> None:
    log = read_log(HERE / "duel_contested.jsonl")
    rows = list(csv.DictReader(io.StringIO(render(log, "csv", debate_id="d"))))
    outcome = rows[-1]["outcome"]
    assert outcome.partition(", against the scores. ")[2] == CONTESTED
    assert CONTESTED.partition(": ")[2] in render(log, "md", debate_id="d")


def test_an_outcome_of_a_log_of_0_1_reads_the_same() -> None:
    *before, last = tied()
    assert isinstance(last.event, e.DebateCompleted)
    assert last.event.outcome is not None
    untagged = {name: value for name, value in last.event.outcome.items() if name != "type"}
    old = e.Recorded(
        last.seq,
        last.at,
        e.DebateCompleted(stop_reason=last.event.stop_reason, outcome=untagged),
    )
    assert render([*before, old], "md", debate_id="d") == render(tied(), "md", debate_id="d")


def test_no_verdict_says_why_there_is_none() -> None:
    text = render(samples.log(replies={StepKind.CONFIRM: "Both."}), "md", debate_id="d")
    assert "**No verdict**" in text
    assert "**Note.** The judge's answer could not be used: it is not in the form" in text
