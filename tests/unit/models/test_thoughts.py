from __future__ import annotations

import time

import pytest
from hypothesis import example, given, strategies as st

from moot.models.cleaning import clean_text
from moot.models.thoughts import MAX_THOUGHT_CHARS, Speech, split_thoughts

HARMONY = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes."
)

# What is written: what is said, what is thought.
TEXTS: dict[str, tuple[str, str]] = {
    # The reply begins with a mark.
    "<think>Hm.</think>Yes.": ("Yes.", "Hm."),
    "\n <think>\nHm.\n</think>\n\nYes.\n": ("Yes.\n", "Hm."),
    "<think>\n\n</think>\n\nYes.": ("Yes.", ""),
    "<thinking>Hm.</thinking> Yes.": ("Yes.", "Hm."),
    "<THINK>Hm.</Think>Yes.": ("Yes.", "Hm."),
    "<thought>Hm.</thought>Yes.": ("Yes.", "Hm."),
    "<reasoning>Hm.</reasoning>Yes.": ("Yes.", "Hm."),
    "<seed:think>Hm.</seed:think>Yes.": ("Yes.", "Hm."),
    "<think>Hm.</thinking>Yes.": ("Yes.", "Hm."),
    "[THINK]Hm.[/THINK]Yes.": ("Yes.", "Hm."),
    "\u25c1think\u25b7Hm.\u25c1/think\u25b7Yes.": ("Yes.", "Hm."),
    "<|channel>thought\nHm.<channel|>\nYes.": ("Yes.", "Hm."),
    "<unused94>thought\nHm.<unused95>Yes.": ("Yes.", "Hm."),
    "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>": ("Yes.", "Hm."),
    "<|begin_of_thought|>Hm.<|end_of_thought|><|begin_of_solution|>Yes.<|end_of_solution|>": (
        "Yes.",
        "Hm.",
    ),
    "<think>Hm.</think>\n<answer>\nYes.</answer>": ("Yes.", "Hm."),
    "<think>One.</think>\n<think>Two.</think>Yes.": ("Yes.", "One.\n\nTwo."),
    "<reasoning>We aff</reasoning><reasoning>irm.</reasoning>Yes.": ("Yes.", "We affirm."),
    "<think>Hm.</think>{\"score\": 7}": ('{"score": 7}', "Hm."),
    "<think>if a < b: [x] </thin k></think>Yes.": ("Yes.", "if a < b: [x] </thin k>"),
    # It never ends.
    "<think>Hm. Well": ("", "Hm. Well"),
    "[THINK]Hm.": ("", "Hm."),
    "<think>": ("", ""),
    # Channels.
    HARMONY: ("Yes.", "Hm."),
    f"<|start|>assistant{HARMONY}<|return|>": ("Yes.", "Hm."),
    "<|channel|>final<|message|>Yes.<|return|>": ("Yes.", ""),
    "<|channel|>analysis<|message|>Hm.": ("", "Hm."),
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I "
    "will look.<|end|><|start|>assistant<|channel|>final<|message|>Yes.": (
        "Yes.",
        "Hm.\n\nI will look.",
    ),
    '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>': (
        "",
        '{"a": 1}',
    ),
    "<|channel|>analysis<|message|>a <b> c<|end|><|start|>assistant<|channel|>final<|message|>a "
    "<b> c": ("a <b> c", "a <b> c"),
    "<|channel|>analysis": ("", "<|channel|>analysis"),
    "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.": ("Yes.", "Hm."),
    "analysisWe must answer.assistantfinalYes.": ("Yes.", "We must answer."),
    # The opening mark was part of the prompt.
    "Hm.\n</think>\n\nYes.": ("Yes.", "Hm."),
    "Hm.</think>Yes.": ("Yes.", "Hm."),
    "Hm. </think> Yes.": ("Yes.", "Hm."),
    "</think>Yes.": ("Yes.", ""),
    "Hm.\n</think>": ("", "Hm."),
    "Hm.[/THINK]Yes.": ("Yes.", "Hm."),
    "Do I use <think> here?\n</think>\nYes.": ("Yes.", "Do I use <think> here?"),
    "<think>One.</think>Two.\n</think>\nYes.": ("Yes.", "One.\n\nTwo."),
    # Words like any other.
    "Yes.": ("Yes.", ""),
    "": ("", ""),
    " \n\t ": (" \n\t ", ""),
    "\n\n  Yes. ": ("\n\n  Yes. ", ""),
    "<thinker> is no mark": ("<thinker> is no mark", ""),
    "[Thinking about it], yes.": ("[Thinking about it], yes.", ""),
    "analysis shows": ("analysis shows", ""),
    "Analysis: fine": ("Analysis: fine", ""),
    "<": ("<", ""),
    "We wrap it in <think> and </think>, as you know.": (
        "We wrap it in <think> and </think>, as you know.",
        "",
    ),
    "Use `</think>` to end it. Yes.": ("Use `</think>` to end it. Yes.", ""),
    "The </think> tag ends it.": ("The </think> tag ends it.", ""),
    "The tag \"</think>\" ends it.": ("The tag \"</think>\" ends it.", ""),
    "Like so:\n```\nHm.\n</think>\nYes.\n```\nDone.": (
        "Like so:\n```\nHm.\n</think>\nYes.\n```\nDone.",
        "",
    ),
    "Like so:\n<think>\nHm.\n</think>\nDone.": ("Like so:\n<think>\nHm.\n</think>\nDone.", ""),
    "a < b, [c](d), x</b>": ("a < b, [c](d), x</b>", ""),
    "<answer>Yes.</answer>": ("<answer>Yes.</answer>", ""),
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_parts_what_is_thought_from_what_is_said(text: str) -> None:
    assert split_thoughts(text) == TEXTS[text]


@pytest.mark.parametrize("text", TEXTS)
def test_where_it_is_cut_changes_nothing(text: str) -> None:
    for size in (1, 2, 3, 7):
        check([text[start : start + size] for start in range(0, len(text), size)])
    for cut in range(len(text)):
        check([text[:cut], text[cut:]])


def check(pieces: list[str]) -> None:
    for holds_back in (False, True):
        splitter = Speech(holds_back=holds_back)
        told = "".join([splitter.feed(piece) for piece in pieces] + [splitter.finish()])
        assert (splitter.said, splitter.thought) == split_thoughts(clean_text("".join(pieces)))
        assert splitter.is_retracted or told == splitter.said


MARKS = st.sampled_from(
    [*"<|>/[]\n `.\x00\r\x1b\u200dé", "think", "</think>", "<think>", "[THINK]", "[/THINK]",
     "<|channel|>", "final", "<|message|>", "<|end|>", "<|start|>assistant", "analysis",
     "assistantfinal", "<answer>", "</answer>", "```", "Yes", "\u25c1think\u25b7",
     "\u25c1/think\u25b7"]
)  # fmt: skip


@example(pieces=["\u00e9", "", "\u200d"], size=1)  # an empty piece between a letter and its joiner
@given(st.lists(st.lists(MARKS, max_size=4).map("".join), max_size=8), st.integers(1, 5))
def test_whatever_it_is_made_of(pieces: list[str], size: int) -> None:
    check(pieces)
    text = "".join(pieces)
    check([text[start : start + size] for start in range(0, len(text), size)])


def test_plain_text_is_told_at_once() -> None:
    splitter = Speech()
    words = ["Well,", " I", " disagree", " [1]", " with", " a <", " b", "."]
    assert [splitter.feed(word) for word in words] == [
        "Well,", " I", " disagree", " [1]", " with", " a ", "< b", ".",
    ]  # fmt: skip
    assert splitter.finish() == ""


def test_a_thought_that_was_told_is_taken_back() -> None:
    splitter = Speech()
    assert splitter.feed("Hm. What now?") == "Hm. What now?"
    assert splitter.feed("\n</think>\nYes.") == ""
    assert splitter.finish() == ""
    assert (splitter.is_retracted, splitter.said, splitter.thought) == (
        True,
        "Yes.",
        "Hm. What now?",
    )


def test_who_is_known_to_think_aloud_is_held_back() -> None:
    splitter = Speech(holds_back=True)
    assert splitter.feed("Hm. What now?") == ""
    assert splitter.feed("\n</think>\nYes,") == "Yes,"
    assert splitter.feed(" we can.") == " we can."
    assert not splitter.is_retracted
    honest = Speech(holds_back=True)
    assert honest.feed("Yes.") == ""
    assert honest.finish() == "Yes."


def test_endless_thoughts_are_bounded() -> None:
    said, thought = split_thoughts("<think>" + "x" * (MAX_THOUGHT_CHARS + 5) + "</think>Yes.")
    assert (said, len(thought)) == ("Yes.", MAX_THOUGHT_CHARS)


@pytest.mark.parametrize("hostile", ["<", "[/", "`</think>` ", "<|channel|>", "<think>", "</"])
def test_hostile_text_costs_as_much_as_any_other(hostile: str) -> None:
    def cost(text: str) -> float:
        started = time.process_time()
        splitter = Speech()
        for start in range(0, len(text), 50):
            splitter.feed(text[start : start + 50])
        splitter.finish()
        return time.process_time() - started

    short, long = (min(cost("x" + hostile * count) for _ in range(3)) for count in (1000, 4000))
    assert long < 12 * short
