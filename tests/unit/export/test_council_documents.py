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
from moot.prompts import render as render_prompt
from moot.protocol import events as e
from moot.protocol.formats.council.ballots import RatingsAnswer
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Attachment, Config
from moot.protocol.words import StepKind

KINDS = ("report", "decision-record")
SOLUTION = {
    "description": "Heat the town with one network.",
    "reasons": ["It is the cheapest over twenty years."],
    "rejected": ["Gas, because of its price."],
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


def rated(step: Step, *, before: int = 40, after: int = 70) -> dict[str, int]:
    """What the judge rates: by how the texts are written."""
    found: dict[str, int] = {}
    for label in step.answer.names:  # type: ignore[attr-defined]
        is_last = "refine" in render_prompt(step.prompt).split(f"[Proposal {label}]: ")[1][:20]
        found[label] = after if is_last else before
    return found


def answer(step: Step) -> str:
    if step.kind is StepKind.ANSWER:
        return "" if step.key.endswith("/2/answer") else "Four hundred."
    if step.kind in (StepKind.PROPOSE, StepKind.REFINE):
        point = {"from": "Critic 1", "point": "too slow", "why": "it is not"}
        said = {"proposal": f"{step.participant}'s {step.kind} {step.round}", "rejected": [point]}
        return json.dumps(said)
    if isinstance(step.answer, RatingsAnswer):
        return json.dumps({"reasons": "", "ratings": rated(step)})
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
        *("## Solution", "### Why this", "### Rejected"),
        *("### Trade-offs", "### Recommendations", "### Unfulfilled requirements"),
        *("### Open questions", "### Dissent"),
        *("## Problem", "## Members", "## Clarifications"),
        *("## Rounds", "### Round 1", "### Round 2"),
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
        *("## Context", "## Decision", "## Reasons", "## Rejected"),
        *("## Consequences", "### Trade-offs", "### What to do", "### Not fulfilled"),
        *("## Open questions", "## Dissent"),
        *("## Options", "### The proposal of Ada", "### The proposal of Bo"),
        "## Was debating worth it?",
    ]
    assert "- It is the cheapest over twenty years." in text
    assert "- Gas, because of its price." in text
    assert "- Ada did not accept “too slow” (raised by Bo): it is not" in text
    assert "ada's refine 2" in text
    assert "ada's propose 1" not in text  # what it came to, not how
    assert "- Confidence: 72 of 100" in text


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (40, 70, "was worth it: the judge rated the best proposal before the debate 40"),
        (70, 40, "was not worth it: the judge rated the best proposal before the debate 70"),
    ],
)
def test_every_document_says_whether_debating_was_worth_it(
    before: int, after: int, told: str
) -> None:
    def reply(step: Step) -> str:
        if isinstance(step.answer, RatingsAnswer):
            return json.dumps({"ratings": rated(step, before=before, after=after)})
        return answer(step)

    log = played(reply)
    for kind in (*KINDS, "md", "html"):
        assert told in render(log, kind, debate_id="d1"), kind


def test_what_was_left_out_is_said_in_every_document() -> None:
    play = Play(FORMATS["council"], council(2, rounds=1, step_retries=0))
    while ready := [step for step in play.ready() if step.key not in play.state.failures]:
        for step in ready:
            if step.key == "critique/1/ada/critique/bo":
                failed = e.StepFailed(failed_key=step.key, code="model", error="gone", attempts=1)
                play.append(failed)
            else:
                play.perform(step, answer(step))
    for kind in (*KINDS, "md", "html"):
        assert "Left out: Ada: no critique (gone)." in render(play.log, kind, debate_id="d1"), kind


def test_questions_that_were_merged_and_answers_in_advance_are_told_once() -> None:
    log = played(
        interactive_clarifications=True,
        clarifications_max_iterations=1,
        answers=["How cold is it? Minus ten."],
    )
    report = render(log, "report", debate_id="d1")
    assert "- How cold is it? Minus ten." in report
    assert report.count("How many homes?") == 1
    assert "Ada and Bo asked (1.1):" in report


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


@pytest.mark.parametrize("kind", ["md", "html", "report"])
def test_what_a_round_came_to_stands_before_the_next_begins(kind: str) -> None:
    text = render(played(rounds=2, termination="fixed"), kind, debate_id="d1")
    headings = {
        "report": ("Refinements", "### Round 2", "Refinements", "## Before the debate"),
        "md": ("### Refinement, round 1", "### Critique, round 2", "### Refinement", "### Synth"),
        "html": ("Refinement, round 1</h3>", "Critique, round 2</h3>", "Refinement, ", "Synthesis"),
    }[kind]
    refined, criticised, refined_again, solved = headings
    in_order = (refined, "Round 1 of 2: ", criticised, refined_again, "Round 2 of 2: ", solved)
    at = 0
    for one in in_order:
        assert one in text[at:], one
        at = text.index(one, at)
    assert text.count("Round 1 of 2: ") == text.count("Round 2 of 2: ") == 1


def test_names_the_files_with_their_hashes() -> None:
    file = Attachment(name="plan.md", sha256="ab" * 32, size_bytes=1234)
    config = msgspec.structs.replace(council(2, rounds=1), attachments=(file,))
    log = played(config=config)
    for kind in KINDS:
        assert f"| plan.md | 1,234 | {'ab' * 32} |" in render(log, kind, debate_id="d1")


def test_a_council_that_is_not_over_has_a_report_and_no_decision_record() -> None:
    log = Play(FORMATS["council"], council(2)).run(answer, most=3).log
    assert "still running" in render(log, "report", debate_id="d1")
    with pytest.raises(InvalidInput, match="not decided anything yet"):
        render(log, "decision-record", debate_id="d1")


def test_an_unreadable_synthesis_is_shown_as_such() -> None:
    def mumbling(step: Step) -> str:
        return "Mumble." if step.kind is StepKind.SYNTHESIZE else answer(step)

    log = played(mumbling)
    assert (
        "The judge's answer could not be used: it is not in the form that was asked for. "
        "Nothing was made up." in render(log, "report", debate_id="d1")
    )
    assert "Mumble." in render(log, "decision-record", debate_id="d1")


@pytest.mark.parametrize("kind", [*KINDS, "md", "html"])
def test_a_vote_whose_judge_is_unreadable_shows_what_was_chosen(kind: str) -> None:
    def mumbling(step: Step) -> str:
        return "Mumble." if step.kind is StepKind.SYNTHESIZE else answer(step)

    log = played(mumbling, decision="vote")
    text = render(log, kind, debate_id="d1")
    assert "The solution is the proposal of " in text
    # What was written stands in the transcript, which only these two have.
    assert text.count("Mumble.") == (kind in ("md", "html"))


def test_says_what_a_reader_must_know_of_a_turn() -> None:
    def mumbling(step: Step) -> str:
        return "Hm." if step.kind is StepKind.EVALUATE else answer(step)

    report = render(played(mumbling), "report", debate_id="d1")
    assert "**Judith** (could not be read)\n" in report
    assert "**Ada**\n" in report


@pytest.mark.parametrize("kind", KINDS)
def test_other_formats_are_refused_with_what_to_do_instead(kind: str) -> None:
    with pytest.raises(InvalidInput, match="this one is duel; export it as md or html"):
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
