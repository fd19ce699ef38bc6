from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.unit.export import attacks, samples

from moot.export import render
from moot.protocol.steps import Step
from moot.protocol.words import StepKind

HEADINGS = ["Cast", "The debate", "Running scores", "Verdict", "Spending"]


def markdown(log: samples.Log) -> str:
    return render(log, "md", debate_id="d1")


def tokens(source: str) -> list[Token]:
    """What GitHub's renderer would see: raw HTML is let through, tables and links are on."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found = []
    for token in reader.parse(source):
        found += [token, *(token.children or [])]
    return found


def headings(found: list[Token], level: str) -> list[str]:
    return [
        found[index + 1].content
        for index, token in enumerate(found)
        if token.type == "heading_open" and token.tag == level
    ]


def assert_harmless(source: str) -> list[Token]:
    found = tokens(source)
    for token in found:
        assert token.type not in ("image", "html_inline"), token
        if token.type == "html_block":
            start = token.content.lstrip()
            assert start.startswith(("<details>\n<summary>", "</details>")), token.content
            assert token.content.count("<") in (1, 3), token.content
        if token.type == "link_open":
            assert str(token.attrs["href"]).startswith(("http://", "https://", "mailto:"))
    folds = [token.content.strip() for token in found if token.type == "html_block"]
    assert all(fold == "</details>" for fold in folds[1::2])
    assert len(folds) % 2 == 0
    return found


@pytest.mark.parametrize("attack", attacks.ATTACKS)
def test_keeps_attacks_inside_quotes(attack: str) -> None:
    found = assert_harmless(markdown(attacks.debate(attack)))
    assert len(headings(found, "h1")) == 1
    assert headings(found, "h2") == HEADINGS
    # Tables of speakers stay in their quotes.
    own = [token for token in found if token.type == "table_open" and token.level == 0]
    assert len(own) == 5
    assert_harmless(markdown(attacks.failed(attack)))


@settings(max_examples=100)
@given(st.text(alphabet="<>&\"'/=!-[]()`*_#|~$ \n\tab1.:+\\", max_size=120))
def test_keeps_any_text_inside_its_quote(text: str) -> None:
    found = assert_harmless(markdown(attacks.failed(text)))
    assert headings(found, "h2") == ["Cast", "The debate", "Spending"]


def test_shows_an_attack_word_for_word() -> None:
    said = "It was <b>bold</b> & *not* a [list](javascript:x) # nor ![x](data:y)"
    found = tokens(markdown(samples.log(replies={StepKind.SPEAK: said})))
    shown = ["".join(c.content for c in t.children or []) for t in found if t.type == "inline"]
    assert said.replace("*", "") in shown


def test_reads_from_title_to_spending() -> None:
    found = tokens(markdown(samples.log()))
    assert headings(found, "h1") == ["Tea or coffee?"]
    assert headings(found, "h2") == HEADINGS
    assert headings(found, "h3") == [
        *("Planning", "Opening", "Exchange, round 1", "Exchange, round 2", "Verdict")
    ]
    assert headings(found, "h4")[:2] == ["1\\. Ada (for)", "2\\. Bob (against)"]


def test_folds_private_turns_and_marks_them() -> None:
    source = markdown(samples.log())
    assert "<summary>Ada: private plan</summary>\n\n> Words of planning/1/a/plan.\n" in source
    assert "**Jo scores Ada: 7/10** (private). Reason for opening/1/j/score/a." in source


def test_shows_the_verdict_once() -> None:
    source = markdown(samples.log())
    assert "**Premise upheld**: Tea is better." in source
    assert "| Ada | 8 |" in source
    assert source.count("Words of verdict/1/j/announce.") == 1


def test_says_what_is_contested_or_unreadable() -> None:
    def contested(step: Step) -> str:
        verdict = {"winner": "Bob", "scores": {"Ada": 9, "Bob": 2}}
        return json.dumps(verdict) if step.key.endswith("record") else "Bob"

    source = markdown(samples.log(replies={StepKind.CONFIRM: contested, StepKind.SCORE: "?"}))
    assert "Premise rejected" in source
    assert "**Note.** Contested:" in source
    assert "**Jo scores Ada: unreadable.**" in source
    assert "| 1 | unreadable |  |" in source
    unread = markdown(samples.log(replies={StepKind.CONFIRM: "Both."}))
    assert "**Result:** No verdict. The judge's answer could not be used" in unread
