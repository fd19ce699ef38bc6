"""Facts about a debate, told alike in every document, and nothing that is not so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.unit.export import samples

from moot.export import render
from moot.protocol.events import Recorded, TurnRecorded
from moot.protocol.values import Draw, Usage
from moot.protocol.words import StepKind

DRAWS = (
    Draw(name="for", options=("Rashida Blom", "Bo"), chosen=("Rashida Blom",)),
    Draw(name="against", options=("Bo", "Bob"), chosen=("Bob",)),
)
READABLE = pytest.mark.parametrize("kind", ["md", "html"])


@READABLE
def test_nobody_was_drawn_for_a_chair_that_somebody_else_took(kind: str) -> None:
    config = msgspec.structs.replace(samples.config(), draws=DRAWS)
    text = render(samples.log(config), kind, debate_id="d")
    assert "Drawn to argue against" in text
    assert "Rashida" not in text


@READABLE
def test_what_was_drawn_is_told_in_words_for_readers(kind: str) -> None:
    names = {
        "audience": "Drawn as the judge",
        "order": "Order, as drawn",
        "circle": "Drawn: circle",
    }
    draws = tuple(Draw(name=name, options=("Bob",), chosen=("Bob",)) for name in names)
    config = msgspec.structs.replace(samples.config(), draws=draws)
    text = render(samples.log(config), kind, debate_id="d")
    assert [one for one in names.values() if one not in text] == []
    assert "audience" not in text


@READABLE
def test_what_a_person_was_never_asked_for_is_not_told_as_passed(kind: str) -> None:
    log = samples.log()
    plain = render(log, kind, debate_id="d")
    seated = _changed(log, StepKind.PLAN, content="", flags=("passed",), model="")
    text = render(seated, kind, debate_id="d")
    assert "private plan" in plain.lower()
    assert "private plan" not in text.lower()
    assert "passed" not in text


def _changed(
    log: Sequence[Recorded], kind: StepKind | None = None, **fields: Any
) -> list[Recorded]:
    """The log with other fields in all turns, or in those of that kind."""
    return [
        Recorded(one.seq, one.at, msgspec.structs.replace(one.event, **fields))
        if isinstance(one.event, TurnRecorded) and kind in (None, one.event.kind)
        else one
        for one in log
    ]


@READABLE
@pytest.mark.parametrize(
    ("each", "told"), [(0.0, "free"), (None, "price unknown"), (0.1, "$"), (0.0001, "$0.00")]
)
def test_a_cost_is_spelt_as_everywhere(kind: str, each: float | None, told: str) -> None:
    log = _changed(samples.log(), usage=Usage(cost_usd=each), model="a:b")
    text = render(log, kind, debate_id="d")
    assert told in text
    assert "$0.0000" not in text
