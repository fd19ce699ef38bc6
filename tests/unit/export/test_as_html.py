from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.export import attacks, samples

from moot.export import render
from moot.export.tags import text as escaped
from moot.protocol.steps import Step
from moot.protocol.words import StepKind

KNOWN_TAGS = """
html head meta link title style body a header main footer section article aside h1 h2 h3 h4 h5 h6 p
span strong em del bdi time ul ol li dl dt dd div table thead tbody tr th td figure details summary
label input br hr blockquote pre code svg g line circle text tspan
"""
KNOWN_ATTRIBUTES = """
lang charset http-equiv content name rel href class id dir role aria-label aria-labelledby
datetime type checked autocomplete scope tabindex start viewbox x y x1 x2 y1 y2 cx cy r dx
text-anchor
"""
TAGS, ATTRIBUTES = set(KNOWN_TAGS.split()), set(KNOWN_ATTRIBUTES.split())
VOID = {"meta", "link", "input", "br", "hr"}


class Page(HTMLParser):
    """What a browser would make of a page: its tags, in order, and its text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.said = ""
        self.feed(source)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "elements are nested"

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.said += data


def html(log: samples.Log) -> str:
    return render(log, "html", debate_id="d1")


def assert_harmless(source: str) -> Page:
    page = Page(source)
    for tag, attributes in page.tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        href = attributes.get("href") or "#"
        assert href == "data:," or re.match(r"#|https?://|mailto:", href), href
    assert source.count("<style>") == 1
    assert source.count("</style>") == 1
    return page


@pytest.mark.parametrize("attack", attacks.ATTACKS)
def test_shows_attacks_as_text(attack: str) -> None:
    for log in (attacks.debate(attack), attacks.failed(attack)):
        page = assert_harmless(html(log))
        assert [tag for tag, _ in page.tags].count("h1") == 1
        headings = [tag for tag, _ in page.tags if tag == "h2"]
        assert len(headings) <= 4


@settings(max_examples=60)
@given(st.text(alphabet="<>&\"'/=!-[]()`*_# \nabsrcipt:{};\\", max_size=120))
def test_shows_any_text_as_text(text: str) -> None:
    assert_harmless(html(attacks.failed(text)))


def test_loses_nothing_of_an_attack() -> None:
    page = Page(html(samples.log(replies={StepKind.SPEAK: "<script>alert(1)</script>"})))
    assert page.said.count("<script>alert(1)</script>") == 4


def test_permits_its_own_style_by_hash_and_nothing_else() -> None:
    source = html(samples.log())
    style = source.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = Page(source)
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv"))
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert [tag for tag, _ in page.tags].index("meta") < [t for t, _ in page.tags].index("style")


def test_asks_for_nothing_from_outside() -> None:
    source = html(samples.log())
    assert not re.search(r"url\(|@import|src=|https?://", source)
    assert "<script" not in source
    assert " style=" not in source


def test_uses_no_colour_but_checked_ones() -> None:
    for attack in ("red;}*{display:none}", "</style><script>", "url(//evil)", "#12345g"):
        source = html(attacks.debate(attack))
        style = source.partition("<style>")[2].partition("</style>")[0]
        rules = re.findall(r"^\.p\d+\{.*", style, re.MULTILINE)
        assert len(rules) == 3
        for rule in rules:
            assert re.fullmatch(r"\.p\d+\{--light:#[0-9a-f]{6};--dark:#[0-9a-f]{6}\}", rule)


def test_folds_private_turns_and_marks_them() -> None:
    source = html(samples.log())
    page = Page(source)
    private = [a for t, a in page.tags if t == "details" and "private" in str(a.get("class"))]
    # 2 plans, 4 thoughts, 4 evaluations, deliberation, 2 confirmations; scores stand in the margin.
    assert len(private) == 13
    assert "private plan" in page.said
    assert 'id="private" checked' in source
    assert "Words of planning/1/a/plan." in page.said
    assert page.said.count("Jo, in private") == 4


def test_has_one_title_one_h1_a_language_and_landmarks() -> None:
    page = Page(html(samples.log()))
    tags = [tag for tag, _ in page.tags]
    assert [tags.count(one) for one in ("h1", "main", "header", "footer")] == [1, 1, 1, 1]
    assert page.tags[0] == ("html", {"lang": "en"})
    assert "Tea or coffee? · a debate" in page.said
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))


def test_draws_the_scores_and_tells_them_without_a_picture() -> None:
    source = html(samples.log())
    page = Page(source)
    charts = [a for tag, a in page.tags if tag == "svg"]
    assert [a["class"] for a in charts] == ["chart wide", "chart narrow"]
    assert charts[0]["aria-label"] == (
        "Running scores out of 10, statement by statement: Ada 7, 7; Bob 7, 7."
    )
    assert "<title>Ada, statement 1: 7 of 10</title>" in source
    assert [tag for tag, _ in page.tags].count("tr") == 1 + 4


def test_says_which_scores_could_not_be_read() -> None:
    def score(step: Step) -> str:
        return "seven!" if "exchange/1/j/score/b" in step.key else json.dumps({"score": 3})

    source = html(samples.log(samples.config(turns=5), {StepKind.SCORE: score}))
    assert "No score could be read after statement 2." in source
    assert "seven!" in source
    gone = html(samples.log(replies={StepKind.SCORE: "?"}))
    assert "<svg" not in gone
    assert "after statement 1, 2, 3, 4." in gone


def test_shows_the_verdict_with_its_ruling() -> None:
    page = Page(html(samples.log()))
    assert "Premise upheld" in page.said
    assert "Ada wins, 8 to 6" in page.said
    assert page.said.count("Words of verdict/1/j/announce.") == 1


def test_flags_a_contested_verdict() -> None:
    def confirm(step: Step) -> str:
        verdict = {"winner": "Bob", "scores": {"Ada": 9, "Bob": 2}}
        return json.dumps(verdict) if step.key.endswith("record") else "Bob"

    page = Page(html(samples.log(replies={StepKind.CONFIRM: confirm})))
    assert "Premise rejected" in page.said
    assert "The judge named Bob, against the scores, 2 to 9" in page.said
    assert "Contested: the judge named a winner and gave the other side the higher" in page.said


def test_says_that_a_verdict_could_not_be_read() -> None:
    page = Page(html(samples.log(replies={StepKind.CONFIRM: "Both were lovely."})))
    assert "No verdict" in page.said
    assert (
        "The judge's answer could not be used: it is not in the form that was asked for. "
        "Nothing was made up." in page.said
    )
    assert "upheld" not in page.said
    assert " wins" not in page.said


def test_says_that_only_the_scores_of_a_verdict_are_missing() -> None:
    def confirm(step: Step) -> str:
        return "no object" if step.key.endswith("record") else "Bob"

    page = Page(html(samples.log(replies={StepKind.CONFIRM: confirm})))
    assert "Bob wins" in page.said
    assert "The scores could not be read" in page.said


def test_has_no_verdict_without_a_judge() -> None:
    source = html(samples.log(samples.config(samples.A, samples.B)))
    assert 'id="verdict"' not in source
    assert "<svg" not in source


def test_renders_the_markdown_of_models() -> None:
    source = html(
        samples.log(replies={StepKind.SPEAK: "A **b** [c](https://x.org/?a&b)\nd\n\n- e"})
    )
    assert '<p dir="auto">A <strong>b</strong> ' in source
    link = '<a href="https://x.org/?a&amp;b" rel="noopener noreferrer nofollow">c</a><br>d</p>'
    assert link in source
    assert '<ul><li dir="auto">e</li></ul>' in source


def test_drops_what_html_forbids() -> None:
    assert escaped("a\x00b\x0c\x85\ud800c<&\"'") == "abc&lt;&amp;&quot;&#x27;"
