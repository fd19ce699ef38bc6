"""Questions as forms of hosts, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.server.elicitation import _PRIMITIVE_SCHEMA_ADAPTER as PRIMITIVE
from mcp_types import ElicitResult

from moot.mcp.elicitation import form_of, given_by, required_of
from moot.mcp.port import Answer, Asked, Progress
from moot.protocol import forms
from moot.protocol.forms import filled_in
from moot.protocol.words import Status

WHERE = Asked(id="1/where", text="Where?")
MUST = Asked(id="2/must", text="Which <b>one</b>?", may_pass=False)
SCORED = Asked(
    id="3/score",
    text="Who won?",
    may_pass=False,
    form=forms.form(
        forms.choice("winner", "The winner", [("ada", "Ada"), ("bob", "Bob")]),
        forms.number("score", "Their score", minimum=0, maximum=10, is_whole=True),
        forms.text("why", "Why", required=False),
        forms.truth("close", "Was it close?"),
    ),
)
ALL = (WHERE, MUST, SCORED)
IDS = [one.id for one in ALL]


def waiting(*questions: Asked) -> Answer:
    return Answer(
        debate="d1",
        status=Status.WAITING,
        progress=Progress(done=1, of=2, now="waiting"),
        questions=questions,
        next="",
    )


def accepted(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


def test_every_field_of_every_question_is_one_that_hosts_know() -> None:
    form = form_of(waiting(*ALL), "too short")
    assert form.message.startswith("That could not be used: too short")
    assert all(one.text in form.message for one in ALL)
    properties = form.requested_schema["properties"]
    assert list(properties) == ["q1", "q2", "q3_winner", "q3_score", "q3_why", "q3_close"]
    for one in properties.values():
        PRIMITIVE.validate_python(one)
    assert properties["q3_winner"]["enum"] == ["ada", "bob"]
    assert (properties["q3_score"]["type"], properties["q3_score"]["maximum"]) == ("integer", 10)
    assert form.requested_schema["required"] == ["q2", "q3_winner", "q3_score"]


def test_what_was_filled_in_is_what_the_questions_take() -> None:
    reply = accepted(q1="", q2="That one.", q3_winner="ada", q3_score=7, q3_why="", q3_close=False)
    found = given_by(reply, IDS, ALL)
    assert found == {
        "1/where": "",
        "2/must": "That one.",
        "3/score": {"winner": "ada", "score": 7, "close": False},
    }
    assert SCORED.form is not None
    assert filled_in(dict(SCORED.form), found["3/score"]) == found["3/score"]  # type: ignore[arg-type]


def test_questions_keep_their_numbers_when_others_are_closed() -> None:
    assert given_by(accepted(q1="There.", q2="That one."), IDS, [MUST]) == {"2/must": "That one."}


@pytest.mark.parametrize(
    ("action", "questions", "found"),
    [
        ("cancel", (WHERE,), None),
        ("decline", (WHERE,), {"1/where": ""}),
        ("decline", (WHERE, MUST), None),
    ],
)
def test_who_declines_passes_where_that_is_possible(
    action: Any, questions: tuple[Asked, ...], found: Any
) -> None:
    ids = [one.id for one in questions]
    assert given_by(ElicitResult(action=action), ids, questions) == found


def test_what_a_host_brings_back_says_all_that_there_is_to_know() -> None:
    required = required_of(waiting(WHERE, MUST))
    assert required.request_state == '{"debate":"d1","questions":["1/where","2/must"]}'
    assert list(required.input_requests or {}) == ["answers"]
