"""One ballot: what is read as a vote, and that nothing else ever is."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest

from moot.protocol.answers import ECHO, Unreadable
from moot.protocol.bench.asking import HearingBallot
from moot.protocol.hearing.certificate import TIE

SIDES = HearingBallot(sides={"X": "ada", "Y": "bo"})
PROPOSALS = HearingBallot(sides={"Proposal A": "ann", "Proposal B": "ben", "Proposal C": "cy"})
REASONS = "It answers every objection, and the other leaves two of them open."


def written(winner: Any = "X", margin: Any = 2, reasons: Any = REASONS) -> str:
    return json.dumps({"reasons": reasons, "winner": winner, "margin": margin})


@pytest.mark.parametrize(
    ("answer", "given", "winner"),
    [
        (SIDES, "X", "ada"),
        (SIDES, "y", "bo"),
        (SIDES, " Y. ", "bo"),
        (PROPOSALS, "Proposal B", "ben"),
        (PROPOSALS, "b", "ben"),
        (PROPOSALS, "proposal c", "cy"),
    ],
)
def test_a_vote_is_for_the_side_behind_the_name(
    answer: HearingBallot, given: str, winner: str
) -> None:
    assert answer.read(written(given, 1)) == {"reasons": REASONS, "winner": winner, "margin": 1}


def test_a_figure_in_quotes_is_a_figure() -> None:
    assert SIDES.read(written("X", "2")) == SIDES.read(written("X", 2))


def test_what_was_said_is_nobodys_reason() -> None:
    said = "It is cheaper to build, easier to repair, and nobody has found a fault in it so far."
    asked = msgspec.structs.replace(SIDES, heard=f"[X]: {said}\n\n[Y]: No.")
    for copied in (said, f"[X]: {said}\n\n[Y]: No.", f"Topic: Why? [X]: {said} [Y]: No. Which?"):
        assert asked.read(written("X", 2, copied)) == ECHO
    assert not isinstance(asked.read(written("X", 2, f'X says "{said}", and Y: no.')), Unreadable)


def test_a_tie_has_no_margin() -> None:
    assert SIDES.read(written("tie", 0)) == {"reasons": REASONS, "winner": TIE, "margin": 0}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("X", "form"),
        (written(None), "no side"),
        (written("Z"), "no side"),
        (written("X or Y"), "no side"),
        (written("ada"), "no side"),
        (written(["X"]), "no side"),
        (written(True), "no side"),
        (written(margin=4), "margin"),
        (written(margin=-1), "margin"),
        (written(margin=1.5), "margin"),
        (written(margin="2.5"), "margin"),
        (written(margin="two"), "margin"),
        (written(margin=True), "margin"),
        (written(margin=None), "margin"),
        (written(margin=0), "contradict"),
        (written("tie", 1), "contradict"),
        (written(reasons=""), "reasons"),
        (written(reasons=" - "), "reasons"),
        (written(reasons=None), "reasons"),
        (written("X", reasons="Y won this debate."), "contradict"),
        (written("X", reasons="It is a tie."), "contradict"),
        (written("tie", 0, reasons="The winner is X."), "contradict"),
        (written("X") + written("Y"), "more than one"),
    ],
)
def test_what_is_in_doubt_is_nobodys(text: str, told: str) -> None:
    found = SIDES.read(text)

    assert isinstance(found, Unreadable)
    assert told in found.for_people
    assert SIDES.fallback(found.for_people)["winner"] is None


def test_ten_thousand_broken_ballots_elect_nobody() -> None:
    draw = Random(7)  # noqa: S311 - the same ballots in every run
    for number in range(10_000):
        text = broken(draw)
        found = SIDES.read(text)
        assert isinstance(found, Unreadable), (number, text)


def broken(draw: Random) -> str:
    """A ballot that says nothing, something impossible, or two things at once."""
    winner, other = draw.sample(("X", "Y"), 2)
    margin = draw.randint(1, 3)
    whole = written(winner, margin)
    return draw.choice(
        (
            lambda: whole[: draw.randrange(len(whole) - 1)],
            lambda: written(draw.choice((winner, other)), 0),
            lambda: written("tie", margin),
            lambda: written(winner, draw.choice((margin + 3, -margin, margin + 0.5, f"{margin}!"))),
            lambda: written(f"{winner} and {other}", margin),
            lambda: written(draw.choice(("", "Z", "neither", "<X | Y | tie>", {}, 1)), margin),
            lambda: written(winner, margin, f"{other} wins. {REASONS}"),
            lambda: written(winner, margin, draw.choice(("", "...", 3, None, []))),
            lambda: whole + draw.choice(("\n", " ", "")) + written(other, margin),
            lambda: json.dumps({"reasons": REASONS, "winner": winner}),
            lambda: json.dumps([{"reasons": REASONS, "margin": margin}]),
            lambda: "".join(draw.choices('{}[]":,XYtie 0123', k=draw.randrange(80))),
            lambda: f"{winner} wins by {margin}.",
            lambda: "",
        )
    )()


def test_it_is_shown_with_the_name_that_the_judge_knew() -> None:
    data = SIDES.read(written("Y", 3))
    assert isinstance(data, dict)

    assert SIDES.shown("...", data) == f"Y, wide margin\n\n{REASONS}"
    assert SIDES.shown("hm", SIDES.fallback("why")) == "hm"


def test_reasons_come_first_in_the_schema() -> None:
    assert list(SIDES.schema.body["properties"]) == ["reasons", "winner", "margin"]
    assert SIDES.schema.body["properties"]["winner"]["enum"] == ["X", "Y", "tie"]
