"""The end of a debate: the verdict, what it took, and nothing invented."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from tests.unit.cli.duels import START, Duel, plain_console, text_of
from tests.unit.protocol.moderating import moderated
from tests.unit.protocol.playing import play

from moot.cli.view.console import duration
from moot.cli.view.header import header, totals
from moot.cli.view.outcome import closing_box, outcome_box
from moot.cli.view.views import QuietView
from moot.protocol.events import DebateRenamed, DebateStarted
from moot.protocol.machine import completed
from moot.protocol.outcome_words import doubts
from moot.protocol.outcomes import Outcome, OutcomeStatus, Solution, Verdict
from moot.protocol.state import DebateState
from moot.protocol.steps import Step
from moot.protocol.words import StepKind, StopReason


def box(duel: Duel) -> str:
    console, out = plain_console(width=70)
    console.print(outcome_box(console, duel.state, width=70))
    return out.getvalue()


def verdict_says(confirmed: str, record: str) -> Duel:
    def say(step: Step) -> str:
        if step.key.endswith("/record"):
            return record
        return confirmed if step.kind is StepKind.CONFIRM else text_of(step)

    duel = Duel(say=say, turns=1, premise="Moots are good.")
    duel.play()
    return duel


def scores(ada: int, bo: int, winner: str) -> str:
    return json.dumps({"winner": winner, "scores": {"Ada": ada, "Bo": bo}})


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_file_gets_the_result_without_a_box(is_terminal: bool) -> None:
    console, out = plain_console(width=70, is_terminal=is_terminal)
    QuietView(console, verdict_says("Ada", scores(8, 6, "Ada")).state).finish()
    assert ("╭" in out.getvalue()) is is_terminal
    assert "Ada wins   Ada 8 ▸ Bo 6" in out.getvalue()
    if not is_terminal:
        lines = out.getvalue().splitlines()
        assert lines[:2] == ["VERDICT", "Ada wins   Ada 8 ▸ Bo 6"]
        assert max(map(len, lines)) > 70  # a paragraph is a line


def test_names_winner_scores_announcement_and_premise() -> None:
    shown = box(verdict_says("Ada", scores(8, 6, "Ada")))
    assert "What the judge said" not in shown

    assert "Ada wins" in shown
    assert "Ada 8 ▸ Bo 6" in shown
    assert "verdict/1/judy/announce" in shown
    assert "PREMISE UPHELD" in shown
    assert "Contested" not in shown


def test_rejects_the_premise_when_its_opponent_wins() -> None:
    assert "PREMISE REJECTED" in box(verdict_says("Bo", scores(5, 6, "Bo")))


def test_says_so_when_the_winner_has_fewer_points() -> None:
    assert "Contested" in box(verdict_says("Bo", scores(9, 6, "Bo")))


def test_says_so_when_the_scores_are_unknown() -> None:
    shown = box(verdict_says("Bo", "no idea"))

    assert "Bo wins" in shown
    assert "The scores could not be read" in shown
    assert "PREMISE REJECTED" in shown


def test_says_so_when_there_is_no_verdict() -> None:
    shown = box(verdict_says("hard to say", "no idea"))

    assert "No verdict" in shown
    assert "What the judge said:" in shown  # and not what Moot says
    assert "nothing was made" in shown
    assert "PREMISE" not in shown


def ended_with(outcome: Outcome) -> str:
    duel = Duel(premise="Moots are good.")
    duel.append(DebateStarted())
    duel.append(completed(StopReason.DONE, outcome))
    return box(duel)


def test_calls_a_tie_a_tie() -> None:
    tie = Verdict(status=OutcomeStatus.DECIDED, is_tie=True, scores={"Ada": 6, "Bo": 6})
    shown = ended_with(tie)

    assert "A tie" in shown
    assert "Ada 6 ▸ Bo 6" in shown
    assert "No verdict" not in shown
    assert "PREMISE" not in shown


def test_shows_the_parts_of_a_solution_and_how_it_was_decided() -> None:
    shown = ended_with(
        Solution(
            status=OutcomeStatus.DECIDED,
            description="Build it.",
            dissent=("Too dear.",),
            confidence=80,
            decision={"rule": "rank", "points": {"Ada": 3, "Bo": 3}, "tied": ["Ada", "Bo"]},
            rounds=1,
        )
    )

    assert "SOLUTION" in shown
    assert "Build it." in shown
    assert "- Too dear." in shown
    assert "Trade-offs" not in shown
    assert "Confidence 80 of 100, after 1 round." in shown
    assert "Decided by ranked choice: a tie between Ada and Bo" in shown


@pytest.mark.parametrize(
    "status", [OutcomeStatus.UNREADABLE, OutcomeStatus.PASSED, OutcomeStatus.MISSING]
)
def test_says_why_there_is_no_solution(status: OutcomeStatus) -> None:
    solution = Solution(status=status)
    shown = " ".join(ended_with(solution).replace("│", " ").split())

    (doubt,) = doubts(solution)
    assert doubt in shown
    assert "Confidence unknown" in shown
    assert "(nothing)" not in shown


def test_a_debate_without_a_judge_has_no_verdict() -> None:
    duel = Duel()
    assert "No verdict" in box(duel)


def test_markup_in_a_premise_stays_text() -> None:
    duel = Duel(premise="[red]stop[/] [link=http://evil.example]here[/link]")
    duel.play()
    console, out = plain_console(is_terminal=True, width=120)
    console.print(outcome_box(console, duel.state, width=120))
    console.print(header("x1", duel.state))

    assert out.getvalue().count("[red]stop[/] [link=http://evil.example]here[/link]") == 2
    assert "\x1b]8" not in out.getvalue()


def test_the_header_has_the_title_first_and_the_topic_below() -> None:
    duel = Duel()
    duel.append(DebateRenamed(title="[red]Ours[/]"))
    console, out = plain_console(is_terminal=True, width=120)
    console.print(header("x1", duel.state))
    title, topic, *_ = out.getvalue().splitlines()
    assert "[red]Ours[/]" in title
    assert duel.state.config.topic in topic


def test_counts_calls_tokens_and_time() -> None:
    duel = Duel(turns=1)
    duel.play()
    assert totals(duel.state, START) == "10 calls · 100 tokens in, 50 out · price unknown · 14 s"


def test_counts_nothing_before_the_first_call() -> None:
    duel = Duel()
    duel.append(DebateStarted())
    later = START + timedelta(seconds=4)
    assert totals(duel.state, later) == "0 calls · 0 tokens in, 0 out · free · 2.0 s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (42, "42 s"), (185, "3 min 5 s"), (3720, "1 h 2 min")],
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


# --- debates in which nobody is to win ------------------------------------------------------------


def held(*, moderator: bool) -> DebateState:
    config = moderated("custom", 2, moderator=moderator, max_rounds=1)
    return play(config, lambda step: f"said {step.kind}").state


def test_quietly_a_moderated_debate_has_its_summary() -> None:
    console, out = plain_console(width=70)
    console.print(outcome_box(console, held(moderator=True), width=70))
    shown = out.getvalue()
    assert "SUMMARY" in shown
    assert "Summed up by Mo" in shown
    assert "said summarize" in shown
    assert "erdict" not in shown


def test_the_summary_is_not_shown_twice() -> None:
    console, _ = plain_console(width=70)
    assert closing_box(console, held(moderator=True), width=70) is None


def test_without_a_moderator_nobody_misses_a_verdict() -> None:
    console, out = plain_console(width=70)
    box = closing_box(console, held(moderator=False), width=70)
    assert box is not None
    console.print(box)
    assert out.getvalue().strip() == "The debate is over, without a summary."
