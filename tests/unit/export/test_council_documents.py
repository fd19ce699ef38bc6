"""The report of a council and the record of its decision."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from markdown_it import MarkdownIt
from tests.unit.export import samples
from tests.unit.export.attacks import ATTACKS
from tests.unit.protocol.playing import Play, council

from moot.errors import InvalidInput
from moot.export import render
from moot.protocol import events as e
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Attachment, Config
from moot.protocol.words import StepKind

KINDS = ("report", "decision-record")
SOLUTION = {
    "description": "Heat the town with one network.",
    "trade_offs": ["One network is one thing to fail."],
    "recommendations": ["Ask the bakery for its waste heat."],
    "unfulfilled_requirements": ["It will not be ready by winter."],
    "open_questions": ["Who pays for the pipes?"],
    "dissent": ["Cy wants heat pumps."],
    "confidence": 72,
}
REPLIES: dict[StepKind, Any] = {
    StepKind.ASK: {"questions": ["How many homes?", "What is the budget?"]},
    StepKind.CRITIQUE: {"weaknesses": ["Too dear."], "rating": 60},
    StepKind.EVALUATE: {"confidence": 40, "quality": 50, "reasons": "They differ."},
    StepKind.SYNTHESIZE: SOLUTION,
}


def answer(step: Step) -> str:
    if step.kind is StepKind.ANSWER:
        return "" if step.key.endswith("/2/answer") else "Four hundred."
    if step.kind in (StepKind.PROPOSE, StepKind.REFINE):
        return json.dumps({"proposal": f"{step.participant}'s {step.kind} {step.round}"})
    if step.kind is StepKind.VOTE:
        return json.dumps({"choice": "A", "ranking": ["A", "B"], "reasons": "Best."})
    return json.dumps(REPLIES.get(step.kind, "text"))


def played(reply: Any = answer, config: Config | None = None, **settings: Any) -> list[e.Recorded]:
    made = config or council(2, **{"rounds": 2, "termination": "convergence", **settings})
    return Play(FORMATS["council"], made).run(reply).log


def test_a_report_has_problem_members_clarifications_rounds_and_synthesis() -> None:
    log = played(interactive_clarifications=True, clarifications_max_iterations=1)
    text = render(log, "report", debate_id="d1")
    headings = [line for line in text.split("\n") if line.startswith(("# ", "## ", "### "))]
    assert headings == [
        "# Report: Is mathematics discovered or invented?",
        *("## Problem", "## Members", "## Clarifications"),
        *("## Rounds", "### Round 1", "### Round 2"),
        *("## Solution", "### Trade-offs", "### Recommendations", "### Unfulfilled requirements"),
        *("### Open questions", "### Dissent"),
        *("## Before the debate", "## Spending"),
    ]
    for said in (
        *("How many homes?", "Four hundred.", "ada's propose 1", "bo's refine 2", "Too dear."),
        *("Heat the town", "waste heat", "Cy wants heat pumps", "72 of 100", "rated 60"),
        *("agreement 40", "They differ."),
    ):
        assert said in text, said


def test_a_transcript_tells_the_solution_in_words() -> None:
    text = render(played(), "md", debate_id="d1")
    solution = text.split("## Solution")[1]
    assert "> Heat the town" in solution
    assert "| Recommendations | Ask the bakery for its waste heat. |" in solution
    assert '{"' not in solution
    assert "No verdict" not in text


def test_a_decision_record_has_context_options_decision_and_consequences() -> None:
    text = render(played(), "decision-record", debate_id="d1")
    headings = [line for line in text.split("\n") if line.startswith("#")]
    assert headings == [
        "# Is mathematics discovered or invented?",
        "## Context",
        *("## Options", "### The proposal of Ada", "### The proposal of Bo"),
        "## Decision",
        *("## Consequences", "### Trade-offs", "### What to do", "### Not fulfilled"),
        *("## Open questions", "## Dissent"),
    ]
    assert "ada's refine 2" in text
    assert "ada's propose 1" not in text  # what it came to, not how
    assert "- Confidence: 72 of 100" in text


def test_who_only_answered_questions_is_no_decider() -> None:
    log = played(interactive_clarifications=True, clarifications_max_iterations=1)
    text = render(log, "decision-record", debate_id="d1")
    (line,) = (one for one in text.split("\n") if one.startswith("- Deciders: "))
    assert line.startswith("- Deciders: Ada, Bo, ")
    assert "User" not in line


@pytest.mark.parametrize("rule", ["vote", "rank"])
def test_says_how_it_was_decided(rule: str) -> None:
    log = played(decision=rule)
    report = render(log, "report", debate_id="d1")
    assert "## Vote" in report
    assert f"was chosen ({rule})" in report
    assert f"was chosen ({rule})" in render(log, "decision-record", debate_id="d1")


def test_names_the_files_with_their_hashes() -> None:
    file = Attachment(name="plan.md", sha256="ab" * 32, size_bytes=1234)
    config = msgspec.structs.replace(council(2, rounds=1), attachments=(file,))
    log = played(config=config)
    for kind in KINDS:
        assert f"| plan.md | 1,234 | {'ab' * 32} |" in render(log, kind, debate_id="d1")


def test_a_council_that_is_not_over_has_a_report_and_no_decision_record() -> None:
    log = Play(FORMATS["council"], council(2)).run(answer, most=3).log
    assert "still running" in render(log, "report", debate_id="d1")
    with pytest.raises(InvalidInput, match="decided nothing yet"):
        render(log, "decision-record", debate_id="d1")


def test_an_unreadable_synthesis_is_shown_as_such() -> None:
    def mumbling(step: Step) -> str:
        return "Mumble." if step.kind is StepKind.SYNTHESIZE else answer(step)

    log = played(mumbling)
    assert (
        "The judge's answer could not be used: there is no JSON object in it. Nothing was made up."
        in render(log, "report", debate_id="d1")
    )
    assert "Mumble." in render(log, "decision-record", debate_id="d1")


def test_says_what_a_reader_must_know_of_a_turn() -> None:
    def mumbling(step: Step) -> str:
        return "Hm." if step.kind is StepKind.EVALUATE else answer(step)

    report = render(played(mumbling), "report", debate_id="d1")
    assert "**Judith** (could not be read)\n" in report
    assert "**Ada**\n" in report


@pytest.mark.parametrize("kind", KINDS)
def test_other_formats_are_refused_with_what_to_do_instead(kind: str) -> None:
    with pytest.raises(InvalidInput, match="format duel; export it as md or html"):
        render(samples.log(), kind, debate_id="d1")


def saying(text: str) -> list[e.Recorded]:
    """A council in which everybody says this, wherever something can be said."""

    def reply(step: Step) -> str:
        if step.kind is StepKind.SYNTHESIZE:
            listed = {name: [text] for name, value in SOLUTION.items() if isinstance(value, list)}
            return json.dumps({**SOLUTION, "description": text, **listed})
        if step.kind is StepKind.ANSWER:
            return text
        said = {"proposal": text, "weaknesses": [text], "questions": [text], "rating": 50}
        return json.dumps(said)

    settings: dict[str, Any] = {
        "interactive_clarifications": True,
        "clarifications_max_iterations": 1,
    }
    config = council(2, rounds=1, **settings)
    return played(reply, config=msgspec.structs.replace(config, topic=f"T {text}"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_anybody_said_stays_text(kind: str, attack: str) -> None:
    document = render(saying(attack.replace("\x00", "")), kind, debate_id="d1")
    assert _headings(document) == _headings(render(saying("Well."), kind, debate_id="d1"))
    html = MarkdownIt("commonmark").render(document).lower()
    for forbidden in ("<script", "<img", "<svg", "<iframe", "<style", 'href="javascript'):
        assert forbidden not in html


def _headings(document: str) -> int:
    return sum(token.type == "heading_open" for token in MarkdownIt().parse(document))
