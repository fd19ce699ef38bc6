"""The view of a running debate: by place, whole, and without a word that does not count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.cli.duels import Duel, created, plain_console

from moot.cli.view.live import LiveView
from moot.cli.view.transcript import TranscriptPrinter
from moot.cli.view.waits import waiting_briefly
from moot.engine.feed import Stalled, StepBegan, StepHeld, TextVoided, TextWritten
from moot.protocol import events as e
from moot.protocol.log import begin
from moot.protocol.steps import Step
from moot.protocol.timeline import Wait, follow
from moot.protocol.words import StepKind


def viewed(
    duel: Duel, *, is_live: bool = False, hides_private: bool = False
) -> tuple[LiveView, StringIO]:
    console, out = plain_console(is_terminal=is_live)
    state = begin(duel.log[0])
    return LiveView(console, "x1", state, is_live=is_live, hides_private=hides_private), out


def shown(duel: Duel, *, hides_private: bool = False) -> str:
    """What `moot show` prints of the turns."""
    console, out = plain_console()
    printer = TranscriptPrinter(console, duel.state, hides_private=hides_private)
    for turn in duel.state.transcript():
        printer.turn(turn.said)
    return out.getvalue()


def open_steps(duel: Duel) -> dict[StepKind, Step]:
    _, steps = duel.settle()
    return {step.kind: step for step in steps}


def started(*, is_live: bool = True) -> tuple[Duel, LiveView, StringIO]:
    """A live view of a duel in which both have planned, Ada has spoken, and two steps overlap."""
    duel = Duel()
    view, out = viewed(duel, is_live=is_live)
    duel.append(e.DebateStarted())
    for _ in range(4):  # two plans, a thought, the opening
        duel.answer(duel.settle()[1][0])
    duel.settle()
    for record in duel.log[1:]:
        view.take(record)
    out.truncate(0)
    out.seek(0)
    return duel, view, out


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_prints_turns_by_place_in_whatever_order_they_come(data: st.DataObject) -> None:
    duel = Duel()
    records = duel.play(lambda steps: data.draw(st.sampled_from(list(steps))))
    view, out = viewed(duel)

    for record in records:
        view.take(record)

    assert out.getvalue() == shown(duel)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_streams_what_it_would_have_printed(data: st.DataObject) -> None:
    duel = Duel()
    view, out = viewed(duel, is_live=True)
    view.take(duel.append(e.DebateStarted()))
    while True:
        settled, steps = duel.settle()
        for record in settled:
            view.take(record)
        if not steps:
            break
        for step in steps:
            view.take(StepBegan(step))
        for step in data.draw(st.permutations(steps)):
            for word in duel.say(step).split(" ")[: data.draw(st.integers(0, 5))]:
                view.take(TextWritten(step, f"{word} "))
                # A later step repeats nothing of it: each begins anew here.
            view.take(TextVoided(step))
        step = data.draw(st.sampled_from(list(steps)))
        for piece in duel.say(step).partition("word"):
            view.take(TextWritten(step, piece))
        view.take(duel.answer(step))

    assert view.state.outcome
    assert erased(out.getvalue()) == shown(duel)


def erased(output: str) -> str:
    """What is left on the screen of an output that takes lines back."""
    lines = [""]
    row = 0
    rest = output
    while rest:
        if rest.startswith("\x1b["):
            end = next(i for i, char in enumerate(rest[2:], 2) if char.isalpha())
            count, code, rest = rest[2:end], rest[end], rest[end + 1 :]
            if code == "A":
                row -= int(count)
            elif code == "K":
                lines[row] = ""
            continue
        char, rest = rest[0], rest[1:]
        if char == "\n":
            row += 1
            if row == len(lines):
                lines.append("")
        elif char != "\r":
            lines[row] += char
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n\n"


def test_shows_one_text_at_a_time_and_the_other_in_its_place() -> None:
    duel, view, out = started()
    steps = open_steps(duel)
    evaluate, think = steps[StepKind.EVALUATE], steps[StepKind.THINK]

    view.take(TextWritten(think, "Bo thinks ahead. "))
    assert out.getvalue() == ""
    view.take(TextWritten(evaluate, "Judy weighs. "))
    view.take(TextWritten(think, "And on. "))
    view.take(TextWritten(evaluate, "More of Judy. "))

    assert "Judy weighs. More of" in out.getvalue()
    assert "Bo thinks" not in out.getvalue()


def test_erases_a_text_that_does_not_count_and_says_why() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    view.take(TextWritten(step, "Half a sen"))
    view.take(TextVoided(step))
    failed = e.AttemptFailed(attempt_of=step.key, attempt=1, code="x", error="[bold]reset")
    view.take(duel.append(failed))

    assert "\x1b[2K" in out.getvalue()
    assert "Judy: attempt 1 failed: [bold]reset" in out.getvalue()


def down(step: Step, attempt: int = 1, retry_in_s: float = 12.0) -> e.AttemptFailed:
    return e.AttemptFailed(
        attempt_of=step.key,
        attempt=attempt,
        code="model_unavailable",
        error="openai: no connection: [bold]refused",
        model="openai:gpt-6",
        retry_in_s=retry_in_s,
    )


def test_a_wait_is_one_line_however_often_it_is_tried_again() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    for attempt in range(1, 9):
        view.take(duel.append(down(step, attempt)))
    told = " ".join(out.getvalue().split())
    wanted = "Judy: openai is not answering (no connection: [bold]refused); waiting since "
    assert told.count("waiting") == told.count(wanted) == 1


def test_the_status_line_counts_down_to_the_next_try() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    view.take(StepBegan(step))
    now = datetime.now(UTC)
    view.take(e.Recorded(view.state.seq + 1, now, down(step)))
    view.tick()
    assert "openai is not answering (no connection: [bold]refused); next try in 12 s" in (
        out.getvalue()
    )
    view.take(e.Recorded(view.state.seq + 1, now, down(step, 2, retry_in_s=0.01)))
    view.tick()
    assert "(no connection: [bold]refused); trying again now" in out.getvalue()


def test_a_narrow_status_line_keeps_the_reason_longest() -> None:
    at = datetime(2030, 1, 1, 12, tzinfo=UTC)
    error = "openai: no connection to https://api.example/v1: connection refused"
    failed = msgspec.structs.replace(down(open_steps(started()[0])[StepKind.EVALUATE]), error=error)
    waits: dict[str, Wait] = {}
    follow(waits, e.Recorded(1, at, failed))
    (wait,) = waits.values()
    whole = "openai is not answering (no connection to https://api.example/v1: connection refused)"
    assert f"{whole}; waiting since " in waiting_briefly(wait, at, 200)
    at_120 = waiting_briefly(wait, at, 120)
    assert at_120 == f"{whole}; next try in 12 s"
    at_90 = waiting_briefly(wait, at, 90)
    assert len(at_90) <= 90
    assert at_90.startswith("openai is not answering (no connection to https://api.example/v1: ")
    assert at_90.endswith("…; next try in 12 s")
    assert len(waiting_briefly(wait, at, 40)) <= 40
    assert waiting_briefly(wait, at, 40).startswith("openai is not answe")


def test_says_that_a_rate_limit_holds_a_call_back_and_when_it_goes_on() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    now = datetime.now(UTC)
    view.take(StepHeld(step, "openai", now, now + timedelta(seconds=7.4)))
    view.tick()
    assert "openai takes no more calls for now; " in out.getvalue()
    assert "continues in about 7 s" in out.getvalue()
    view.take(StepBegan(step))
    out.truncate(0)
    view.tick()
    assert "Judy is weighing the argument" in out.getvalue()


def test_in_a_pipe_each_new_reason_is_told_and_that_it_is_over() -> None:
    duel, view, out = started(is_live=False)
    # Not the one whose turn comes first in the transcript: a provider's outage concerns them all.
    step = open_steps(duel)[StepKind.THINK]
    away = "openai: no connection: refused"
    for attempt, error in enumerate((away, away, "openai: 503: try 7", "openai: 503: try 8"), 1):
        view.take(duel.append(msgspec.structs.replace(down(step, attempt), error=error)))
    told = " ".join(out.getvalue().split())
    assert told.count("is not answering (no connection: refused)") == 1
    assert told.count("is not answering (503: try 7)") == 1
    assert "try 8" not in told
    view.take(duel.answer(step))
    assert "openai answers again, after " in " ".join(out.getvalue().split())


def test_in_a_pipe_a_wait_that_lasts_is_told_again_in_whole_lines() -> None:
    duel, view, out = started(is_live=False)
    step = open_steps(duel)[StepKind.THINK]
    error = "openai: no connection to https://a-long-name.models.example/v1: connection refused"
    now = datetime.now(UTC)
    for attempt, later_s in enumerate((0, 12, 29, 31, 45, 62), 1):
        failed = msgspec.structs.replace(down(step, attempt), error=error)
        view.take(e.Recorded(view.state.seq + 1, now + timedelta(seconds=later_s), failed))
    lines = out.getvalue().splitlines()
    assert len(lines) == 3  # at once, after 31 s, and after 62 s
    for line in lines:
        assert "connection refused); waiting since " in line
        assert line.rpartition(", ")[2].startswith("next try in ")


def test_at_a_terminal_a_wait_that_lasts_is_told_once_for_the_status_line_shows_it() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    now = datetime.now(UTC)
    for attempt, later_s in enumerate((0, 31, 62), 1):
        view.take(
            e.Recorded(view.state.seq + 1, now + timedelta(seconds=later_s), down(step, attempt))
        )
    assert out.getvalue().count("is not answering") == 1


def test_says_when_a_provider_answers_again() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    for attempt in range(1, 9):
        view.take(duel.append(down(step, attempt)))
    view.take(duel.answer(step))
    for record in duel.settle()[0]:
        view.take(record)
    assert "openai answers again, after 8.0 s" in out.getvalue()


def test_says_that_somebody_looks_into_the_files() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    duel.append(e.ToolUsed(used_by=step.key, exchange=1, tool="read_file", arguments="{}"))
    view.take(duel.log[-1])
    assert "Judy reads the files (read_file)" in out.getvalue()


def test_marks_a_text_that_is_too_long_to_be_erased() -> None:
    duel, view, out = started()
    step = open_steps(duel)[StepKind.EVALUATE]
    view.printer.console.height = 3
    view.take(TextWritten(step, "long " * 200))
    view.take(TextVoided(step))

    assert "ignore the text above" in out.getvalue()
    assert "\x1b" not in out.getvalue()


def test_prints_no_control_sequence_where_there_is_no_terminal() -> None:
    duel = Duel()
    records = duel.play()
    view, out = viewed(duel)
    view.begin()
    for record in records:
        view.take(record)
        view.tick()
    view.finish()

    assert "\x1b" not in out.getvalue()
    assert "VERDICT" in out.getvalue()


def test_hides_private_turns_but_not_scores() -> None:
    duel = Duel()
    records = duel.play()
    view, out = viewed(duel, hides_private=True)
    for record in records:
        view.take(record)

    assert "plan>" not in out.getvalue()
    assert "private" not in out.getvalue()
    assert "◆ Ada 7 ▸ Bo 7" in out.getvalue()
    assert out.getvalue() == shown(duel, hides_private=True)


def thought(step: Step) -> str:
    return f"[{step.key}] " + "hm " * 300


def test_shows_what_was_thought_with_private_turns_and_only_its_beginning_while_it_is_held() -> (
    None
):
    duel = Duel(think=thought)
    view, out = viewed(duel)
    for record in duel.play():
        view.take(record)
    view.finish()
    live, whole = out.getvalue(), shown(duel)
    for turn in duel.state.turns.values():
        assert f"[{turn.said.step_key}]" in live
        assert f"[{turn.said.step_key}]" in whole
    turns = len(duel.state.turns)
    assert live.count("thought before this (private)") == turns
    assert " ".join(live.split()).count("(the rest: moot show x1 --private)") == turns
    assert whole.count("hm") == 300 * turns
    assert "thought before" not in shown(duel, hides_private=True)


def test_hides_what_others_think_from_somebody_who_takes_part() -> None:
    first = created()
    assert isinstance(first.event, e.DebateCreated)
    ada, *others = first.event.config.participants
    people = (msgspec.structs.replace(ada, model="human"), *others)
    config = msgspec.structs.replace(first.event.config, participants=people)
    duel = Duel(think=thought, log=[e.Recorded(1, first.at, e.DebateCreated(config=config))])
    view, out = viewed(duel)
    for record in duel.play():
        view.take(record)
    view.finish()
    assert "thought before" not in out.getvalue()
    assert "thought before" in shown(duel)  # once it is over, for those who ask for it


def test_says_on_a_terminal_who_is_at_work() -> None:
    duel, view, out = started()
    view.take(StepBegan(open_steps(duel)[StepKind.EVALUATE]))
    view.tick()

    assert "Judy is weighing the argument…" in out.getvalue()


def test_passes_over_events_it_has_seen() -> None:
    duel = Duel()
    records = duel.play()
    view, out = viewed(duel)
    for record in records:
        view.take(record)
        view.take(record)

    assert out.getvalue() == shown(duel)


def test_shows_what_was_held_back_when_the_debate_stops() -> None:
    duel, view, out = started()
    think = open_steps(duel)[StepKind.THINK]
    view.take(duel.answer(think))
    assert think.key not in out.getvalue()
    view.take(duel.append(e.StopRequested()))
    view.take(duel.append(e.DebateStopped()))
    view.finish()

    assert f"<{think.key}>" in out.getvalue()


@pytest.mark.parametrize("poison", ["\x1b[31mred", "\x9b31m", "a\x07b", "\u202eevil", "[/][bold]x"])
def test_lets_nothing_through_that_a_terminal_would_obey(poison: str) -> None:
    duel = Duel(say=lambda step: poison + " text" if step.kind is StepKind.SPEAK else "7")
    view, out = viewed(duel)
    for record in duel.play():
        view.take(record)
    view.begin()

    assert not set("\x1b\x9b\x07\u202e") & set(out.getvalue())
    assert "[bold]" not in poison or "[/][bold]x text" in out.getvalue()


@pytest.mark.parametrize("is_live", [False, True])
def test_a_full_disk_is_told_at_once_and_that_it_goes_on(is_live: bool) -> None:
    view, out = viewed(Duel(), is_live=is_live)
    view.take(Stalled("the disk that holds x.db is full\x1b[2J"))
    told = " ".join(out.getvalue().split())
    assert "it cannot be recorded: the disk that holds x.db is full" in told
    assert "\x1b[2J" not in out.getvalue()
    view.take(Stalled(""))
    assert "can be recorded again, and continues" in out.getvalue()


def test_notes_that_nobody_wrote_and_what_somebody_just_typed_are_not_repeated() -> None:
    duel = Duel()
    ada = msgspec.structs.replace(duel.state.config.participants[0], model="human")
    said = next(turn.said for turn in finished().state.transcript())
    passed = msgspec.structs.replace(said, content="", flags=("passed",))
    for is_brief, turn in ((False, passed), (True, said)):
        console, out = plain_console()
        duel.state.participants[ada.id] = ada
        TranscriptPrinter(console, duel.state, is_brief=is_brief).turn(turn)
        assert out.getvalue() == ""


def finished() -> Duel:
    duel = Duel()
    duel.append(e.DebateStarted())
    duel.answer(duel.settle()[1][0])
    return duel
