"""What exports say of a poll: what was counted, and never that it was a council."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from tests.unit.protocol.playing import play, poll

from moot.export import render
from moot.export.ending import is_cut
from moot.protocol import events as e
from moot.protocol.log import fold
from moot.protocol.steps import Step
from moot.protocol.words import StepKind


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


def voted(votes: str) -> Callable[[Step], str]:
    """Texts, and then the ballots of Ada, Bo and Cy for one of them each."""
    cast = dict(zip(("ada", "bo", "cy"), votes, strict=True))

    def reply(step: Step) -> str:
        if step.kind is StepKind.VOTE:
            return json.dumps({"reasons": "It is plain.", "choice": cast[step.participant]})
        return f"It is {step.participant}."

    return reply


def test_the_answer_of_a_vote_says_how_the_vote_went() -> None:
    played = play(poll(3, decision="vote"), voted("BBA"))
    winner = played.solution.decision["winner"]
    text, headline, votes = render(played.log, "answer", debate_id="d").strip().split("\n\n")

    assert text == f"It is {winner.lower()}."
    assert headline == f"**{winner}'s answer won, with 2 of 3 votes**"
    assert votes.splitlines()[0] == f"- {winner}'s answer: 2 votes (Ada, Bo)"
    assert len(votes.splitlines()) == 3


def test_what_was_voted_on_is_counted_by_votes_and_not_by_answers() -> None:
    def reply(step: Step) -> str:
        if step.kind is StepKind.VOTE:
            return json.dumps({"reasons": "It is plain.", "choice": "A"})
        answer = "tea" if step.participant == "bo" else "juice"
        return json.dumps({"reasons": "So.", "answer": answer})

    config = poll(3, answer_type="choice", choices=["tea", "juice"], decision="vote")
    played = play(config, reply)
    winner = played.solution.answer
    headline, votes, *_ = render(played.log, "answer", debate_id="d").split("\n\n")
    assert headline == f"**{winner} won, with 3 of 3 votes**"
    assert votes.splitlines()[0] == f"- {winner}: 3 votes (Ada, Bo, Cy)"


def test_from_a_tie_nobody_dissents() -> None:
    played = play(poll(3, decision="vote"), voted("ABC"))
    for kind in ("answer", "md", "html"):
        text = render(played.log, kind, debate_id="d")
        assert "The answers" in text
        assert "Dissent" not in text


def test_an_answer_that_was_cut_off_is_said_to_be() -> None:
    played = play(poll(1, decision="first"), lambda _: "In spring, because of")
    log = [_cut(record) for record in played.log]
    text = render(log, "answer", debate_id="d")
    assert text == (
        "In spring, because of\n\n*The text was cut off at the length limit of its model.*\n"
    )
    assert is_cut(fold(log))
    assert not is_cut(played.state)


def _cut(record: e.Recorded) -> e.Recorded:
    event = record.event
    if isinstance(event, e.TurnRecorded):
        event = msgspec.structs.replace(event, flags=("truncated",))
    return msgspec.structs.replace(record, event=event)
