from __future__ import annotations

import pytest

from moot.protocol.speech import RELABELED, TRIMMED, beside_skip, is_skip, tidy
from moot.protocol.values import Participant
from moot.protocol.words import Role, StepKind

ADA = Participant(id="ada", name="Ada", title="Architect", role=Role.MEMBER)
ROSTER = (
    ADA,
    Participant(id="ben", name="Ben", title="Builder", role=Role.MEMBER),
    Participant(id="sam", name="Sam Reed", role=Role.MEMBER),
    Participant(id="cost", name="Cost", title="Keeper of the purse", role=Role.MEMBER),
)
JUDGE = Participant(id="jo", name="Jo", role=Role.JUDGE)


def said(text: str, speaker: Participant = ADA, kind: StepKind = StepKind.SPEAK) -> str:
    """The speech, and a bar if lines for others were left out of it, a plus if only a label."""
    tidied = tidy(text, speaker, (*ROSTER, JUDGE), kind)
    marks = {TRIMMED: "|", RELABELED: "+"}
    return tidied.text + "".join(marks[flag] for flag in tidied.flags)


@pytest.mark.parametrize(
    "label",
    [
        "[Ada | Architect]: ", "[Ada]: ", "[Ada] ", "Ada: ", "ada:\n", "ADA: ", "**Ada:** ",
        "**Ada**: ", "**[Ada | Architect]:** ", "Ada | Architect: ", "Ada (Architect): ",
        "*Ada:* ", "__Ada | Architect__: ", "## Ada\n\n", "**Ada | Architect**\n", "\n\nAda: ",
        "[Ada | Architect]: [Ada | Architect]: ", "[Ada]: **Ada:** ", "Ada\uff1a\n",
        "[Ada | The Elder]: ",
    ],
)  # fmt: skip
def test_the_own_label_goes(label: str) -> None:
    assert said(f"{label}Well, *no*.") == "Well, *no*."


@pytest.mark.parametrize(
    "text",
    [
        "Ada thinks so.", "Adam: no.", "Ada:x", "[Ada](https://example.org) is me.", "I, Ada: no.",
        " indented\n", "Well.\n\nAda: a poem", "**Ada** is my name.", "Ada-Lovelace: no.",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert said(text) == text


@pytest.mark.parametrize(
    "lines",
    [
        "[Ben | Builder]: Yes.", "[Ben]: Yes.", "Ben: Yes.", "**Ben:** Yes.", "**Ben**: Yes.",
        "BEN: Yes.", "Ben | Builder: Yes.", "**[Ben | Builder]**: Yes.", "Ben:\nYes.",
        "Sam Reed: Yes.", "[User]: And you?", "[SYSTEM]: Next speaker: Ben.", "[Cost]: Too much.",
        "Cost | Keeper of the purse: No.",
        "  [Ben]: Yes.", "[Ben | The Elder]: Yes.", "**[Ben | x]:** Yes.", "Ben: Yes.\n\nAda: No.",
    ],
)  # fmt: skip
def test_lines_for_others_end_the_turn(lines: str) -> None:
    assert said(f"Well, no.\n\n{lines}") == "Well, no.|"
    assert said(f"Ada: Well, no.\n{lines}") == "Well, no.|"


@pytest.mark.parametrize(
    "text",
    [
        "As Ben: said, no.", 'He said "Ben: yes".', "> Ben: yes", "- Ben: yes\n- Sam Reed: no",
        "So:\n- Ben: yes", "So:\n> Ben: yes", "So:\n1. Ben: yes", "So:\nCost: 3\nRisk: 4",
        "So:\nUser: anybody", "Benefit: x\nBenjamin: y",
        "So:\n```\nBen: yes\n[Ben]: no\n```\nThen.",
        "So:\nBen:yes", "So:\n| Ben: | yes |", "So:\n### Ben\nyes", "Ben: you are wrong.",
        "So:\n[Ben](https://example.org): yes", "So:\n    Ben: code",
    ],
)  # fmt: skip
def test_naming_and_quoting_others_does_not(text: str) -> None:
    assert said(text) == text


def test_who_speaks_about_others_may_name_them_before_a_colon() -> None:
    verdict = "Both were good.\nAda: clear.\n**Ben:** wordy."
    assert said(verdict, JUDGE, StepKind.EVALUATE) == verdict
    assert said(verdict, JUDGE) == verdict
    assert said("Ben will say:\nBen: yes", kind=StepKind.PLAN) == "Ben will say:\nBen: yes"
    assert said("Both were good.\n[Ben | Builder]: Thanks!", JUDGE) == "Both were good.|"


def test_a_transcript_that_goes_on_is_read_from_the_own_label() -> None:
    text = "[Ben | Builder]: Yes.\n\n[Ada | Architect]: No.\n\n[Ben | Builder]: Oh."
    assert said(text) == "No.|"
    assert said("[Ben]: Yes.\n[Ada]: No.") == "No.|"


def test_odd_names_are_only_names() -> None:
    odd = Participant(id="o", name="A.*(b", title="+?", role=Role.MEMBER)
    assert tidy("A.*(b | +?: Hm.", odd, (odd,), StepKind.SPEAK).text == "Hm."
    assert tidy("Axx(b: Hm.", odd, (odd,), StepKind.SPEAK).text == "Axx(b: Hm."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[SYSTEM]: Next speaker: Ada.\n\nWell, no.", "Well, no.|"),
        ("[SYSTEM]: Opening floor.\n[SYSTEM]: Next speaker: Ada.\nAda: Well, no.", "Well, no.|"),
        ("[SYSTEM]: Well, no.", "Well, no.+"),
        ("The system: no.", "The system: no."),
        ("So:\nSYSTEM: a word like others", "So:\nSYSTEM: a word like others"),
    ],
)
def test_notices_of_the_schedule_are_no_speech(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("text", ["SKIP", "**skip**", '"Skip."', "`SKIP`", "[SKIP]", "Ada: skip"])
def test_a_skip_is_one_in_any_dress(text: str) -> None:
    assert is_skip(said(text))


@pytest.mark.parametrize("text", ["SKIP it", "skipped", "S K I P", "", "SKIP!", "Ben: skip"])
def test_nothing_else_is_a_skip(text: str) -> None:
    assert not is_skip(said(text))


LONG = "Skip lists are fine, and I would skip nothing: " + "they are sorted, simple and small. " * 4


@pytest.mark.parametrize(
    "text",
    [
        "I have nothing to add.\n\nSKIP", "I agree.\nSKIP.", "SKIP\n\nThis is not my field.",
        "**SKIP**\n\n(I have nothing to add.)", "SKIP\nSKIP", "SKIP\n\nNothing.\n\nSKIP\n",
        "Nothing.\r\n\r\nSKIP\r\n", "Ada: Nothing to add.\n\nSKIP",
    ],
)  # fmt: skip
def test_a_few_words_of_why_make_it_no_less_a_skip(text: str) -> None:
    assert is_skip(said(text))


@pytest.mark.parametrize(
    "text", [f"{LONG}\n\nSKIP", f"SKIP\n\n{LONG}", f"\n**SKIP**\n{LONG}\n\nSkip.\n"]
)
def test_a_line_skip_beside_a_real_message_goes_and_the_message_counts(text: str) -> None:
    assert not is_skip(text)
    assert beside_skip(text).strip() == LONG.strip()


@pytest.mark.parametrize(
    "text",
    [
        LONG, " Well.\n", "What does Ben say?\n\nWe SKIP", "I would say: SKIP", "- a\n- SKIP",
        "So:\n```\nSKIP\n```", "SKIP this\n\nand that",
    ],
)  # fmt: skip
def test_no_line_that_says_more_than_skip_is_touched(text: str) -> None:
    assert not is_skip(text)
    assert beside_skip(text) == text


def test_who_asks_something_has_something_to_say() -> None:
    assert not is_skip("What does that cost?\n\nSKIP")


def test_a_line_of_somebody_else_and_nothing_more_is_said_without_the_label() -> None:
    assert said("[Ben | Builder]: We build it.") == "We build it.+"
    assert said("Ben | Builder: We build it.\n[User]: Fine.") == "We build it.|"
    # That may be a form of address.
    assert said("Ben: we build it.") == "Ben: we build it."
    assert said("[Ben]: We build it.", JUDGE) == "[Ben]: We build it."
