"""What exports say of a poll: what was counted, and never that it was a council."""

from __future__ import annotations

import json

import pytest
from tests.unit.protocol.playing import play, poll

from moot.export import render
from moot.protocol.steps import Step


def said(step: Step) -> str:
    answer = "no" if step.participant == "bo" else "yes"
    return json.dumps({"reasons": "It has been seen.", "answer": answer})


@pytest.mark.parametrize("kind", ["answer", "md", "html", "json", "csv"])
def test_every_export_says_what_was_counted(kind: str) -> None:
    text = render(play(poll(3, answer_type="yes_no"), said).log, kind, debate_id="d")
    assert "2 of 3 say yes" in text
    assert "council" not in text.lower()


def test_the_answer_has_the_counts_the_reasons_and_the_dissent() -> None:
    log = play(poll(3, answer_type="yes_no"), said).log
    assert render(log, "answer", debate_id="d") == (
        "**2 of 3 say yes**\n\n"
        "- yes: 2 (Ada, Cy)\n- no: 1 (Bo)\n\n"
        "**Why this**\n\n- Ada: It has been seen.\n- Cy: It has been seen.\n\n"
        "**Dissent**\n\n- Bo says no: It has been seen.\n"
    )


def test_the_answer_of_one_model_is_what_it_wrote() -> None:
    log = play(poll(1, decision="first"), lambda _: "In spring,\n\nbecause of the frost.").log
    assert render(log, "answer", debate_id="d") == "In spring,\n\nbecause of the frost.\n"
