"""What is filled in is understood or refused by the name of its field, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from moot.protocol import forms
from moot.protocol.answers import Unreadable

FORM = forms.form(
    forms.number("score", "Score", minimum=0, maximum=10),
    forms.choice("winner", "Winner", [("debater_a", "Ada"), ("tie", "A tie")]),
    forms.text("reasoning", "Reasons", required=False),
    forms.truth("quiet", "Nothing new?"),
    {"name": "points", "label": "Points", "kind": "list", "required": False},
)
LEAST = {"score": 7, "winner": "tie"}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (LEAST, LEAST),
        ({"score": "7", "winner": "ada"}, {"score": 7, "winner": "debater_a"}),
        ({"score": 7.5, "winner": " Tie "}, {"score": 7.5, "winner": "tie"}),
        ({**LEAST, "reasoning": " ", "quiet": None}, LEAST),
        ({**LEAST, "quiet": "yes"}, {**LEAST, "quiet": True}),
        ({**LEAST, "points": "a\n\n b "}, {**LEAST, "points": ["a", "b"]}),
    ],
)
def test_it_understands(given: dict[str, Any], read: dict[str, Any]) -> None:
    assert forms.filled_in(FORM, given) == read


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"winner": "tie"}, "score is missing"),
        ({**LEAST, "score": "seven"}, "score must be a number from 0 to 10"),
        ({**LEAST, "score": True}, "score"),
        ({**LEAST, "score": 11}, "score"),
        ({**LEAST, "score": float("nan")}, "score"),
        ({**LEAST, "score": "inf"}, "score"),
        ({**LEAST, "winner": "bo"}, "winner must be one of debater_a, tie"),
        ({**LEAST, "winner": 1}, "winner"),
        ({**LEAST, "reasoning": ["x"]}, "reasoning"),
        ({**LEAST, "quiet": "perhaps"}, "quiet"),
        ({**LEAST, "points": [1]}, "points"),
        ({**LEAST, "extra": 1}, "extra is no field"),
    ],
)
def test_it_refuses(given: dict[str, Any], field: str) -> None:
    read = forms.filled_in(FORM, given)
    assert isinstance(read, Unreadable)
    assert read.reason.startswith(field)
