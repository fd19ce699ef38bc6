"""Makes a golden log, once: `python -m tests.golden.make NAME`. It refuses to write over one.

A golden log is what a released version wrote. It is never made again: if the replay of one changes,
the code is wrong, not the log. Where a prompt or the shape of a state changes on purpose,
`python -m tests.golden.make --expect NAME` writes what is expected of the log anew; read the diff.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
from tests.golden import courses
from tests.golden.replay import HERE, expected_of, read_log, write_log
from tests.unit.protocol.playing import PREMISE, Play, duel, readable
from tests.unit.protocol.rooms import Talking

from moot.protocol import events as e
from moot.protocol.formats.duel.answers import NameAnswer
from moot.protocol.formats.duel.rules import Duel
from moot.protocol.steps import Step
from moot.protocol.values import Attachment, Draw, Participant, Usage
from moot.protocol.words import HUMAN, Finish, Pacing, Role, Stance, StepKind, StopReason

USAGE = Usage(input_tokens=120, output_tokens=40, cached_tokens=16, cost_usd=0.000123)


def rich(step: Step) -> str:
    """Replies with what replies have: several lines, quotes, braces, many scripts."""
    if step.answer.schema or isinstance(step.answer, NameAnswer):
        return readable(step)
    return f"On {step.key}:\n\n“Zahlen”, said Ada\u2019s {{topic}}, \\n, 数学 — π ≈ 3.14159 🧮"


def plain() -> Play:
    played = Play(Duel(), duel(turns=6, premise=PREMISE, max_cost_usd=1))
    while ready := played.ready():
        step = ready[-1]
        played.perform(step, rich(step), usage=USAGE, duration_ms=812)
    return played


def contested() -> Play:
    """A con side that opens, an unreadable score, a winner with the lower score."""
    config = msgspec.structs.replace(
        duel(turns=3, premise=PREMISE, a=Stance.CON),
        seed=7,
        draws=(Draw(name="order", options=("Ada", "Bo"), chosen=("Ada", "Bo")),),
        attachments=(Attachment(name="notes.md", sha256="ab" * 32, size_bytes=12),),
        moot_version="0.1.0",
    )
    played = Play(Duel(), config)
    while ready := played.ready():
        step = ready[0]
        if step.key == "opening/1/judith/score/ada":
            for attempt in (1, 2):
                played.append(unreadable(step, attempt))
            played.perform(step, "eleven", usage=USAGE, attempts=3)
        elif step.key.endswith("/record"):
            played.perform(step, '```json\n{"winner": "ada", "scores": {"Ada": 4, "Bo": 9}}\n```')
        else:
            played.perform(step, rich(step), usage=USAGE)
    return played


def unreadable(step: Step, attempt: int) -> e.AttemptFailed:
    return e.AttemptFailed(
        attempt_of=step.key,
        attempt=attempt,
        code="unreadable",
        error="there is no JSON object in it",
        model="test:model",
        usage=USAGE,
        duration_ms=10,
        reply="eleven",
    )


def interrupted() -> Play:
    """Stopped, resumed, recovered, failed, retried, waiting for a person, ended at a limit."""
    config = duel(turns=8, max_total_output_tokens=400)
    bo = msgspec.structs.replace(config.participants[1], model=HUMAN)
    roster = (config.participants[0], bo, config.participants[2])
    played = Play(Duel(), msgspec.structs.replace(config, participants=roster))
    hour = timedelta(hours=1)
    advance(played, 3)
    played.append(e.StopRequested())
    advance(played, 1)
    played.append(e.DebateStopped())
    played.append(e.DebateResumed(), after=hour)
    advance(played, 2)
    played.append(e.DebateRecovered(), after=hour)
    step = played.ready()[0]
    played.append(
        e.AttemptFailed(
            attempt_of=step.key,
            attempt=1,
            code="rate_limited",
            error="429",
            model="test:model",
            retry_in_s=1.5,
        ),
        e.StepFailed(failed_key=step.key, code="rate_limited", error="429", attempts=1),
        e.DebateFailed(error="429", code="rate_limited", step_key=step.key),
    )
    guest = Participant(id="guest", name="Guest", role=Role.MEMBER, title="Visitor")
    played.append(e.ParticipantJoined(participant=guest), e.DebateRetried(), after=hour)
    advance(played, 2)
    played.append(e.MessageSaid(participant="guest", content="May I?"))
    played.append(
        e.ParticipantMuted(participant="guest"), e.ParticipantUnmuted(participant="guest")
    )
    played.append(e.ParticipantLeft(participant="guest"), e.PacingChanged(pacing=Pacing.MANUAL))
    played.append(e.TurnExcluded(turn=played.state.turns["planning/1/ada/plan"].seq))
    played.append(e.TurnIncluded(turn=played.state.turns["planning/1/ada/plan"].seq))
    step = next(step for step in played.ready() if step.participant == "bo")
    played.append(
        e.QuestionOpened(
            question_id=step.key,
            participant="bo",
            kind=step.kind,
            stage=step.stage,
            round=step.round,
            text=played.look(step).prompt,
        ),
        e.DebateSuspended(),
    )
    played.perform(step, "A person's words.", model="", finish=Finish.OTHER)
    advance(played, 99)
    assert played.state.stop_reason is StopReason.MAX_TOKENS
    return played


def advance(played: Play, steps: int) -> None:
    ready = list(played.ready()) if played.state.status.is_active else []
    while ready and steps:
        step = ready.pop(0)
        is_cut = step.kind is StepKind.SPEAK
        played.perform(
            step,
            rich(step),
            usage=USAGE,
            finish=Finish.LENGTH if is_cut else Finish.STOP,
            flags=("truncated",) if is_cut else (),
        )
        steps -= 1
        if played.state.status.value == "running":
            ready = list(played.ready())


def room() -> Play:
    """Auto and manual, mentions, skips, a failure, a rate limit, coming and going, once more."""
    talk = Talking(max_messages=6).say("@Charlie, what do *you* think?")
    talk.speak("Tea. @Bob?", "Coffee.", "SKIP")
    talk.fail(talk.ready()[0], "rate_limited", retry_in_s=30.0)
    talk.say("")
    talk.speak("Water, then.")
    step = talk.ready()[0]
    talk.fail(step)
    talk.append(e.StepRetried(failed_key=step.key))
    talk.speak("Here I am.")
    guest = Participant(id="guest", name="Guest", role=Role.MEMBER, title="Visitor")
    talk.append(e.ParticipantJoined(participant=guest))
    talk.append(e.ParticipantMuted(participant="alice"))
    step = talk.ready()[0]
    talk.pace(Pacing.MANUAL)
    talk.perform(step, "The last of the round.")
    for one in talk.ready():
        talk.perform(one, f"A card by {one.participant}")
    talk.ready()
    cards = [turn for turn in talk.state.transcript() if turn.is_pending]
    talk.append(*(e.TurnIncluded(turn=turn.seq) for turn in cards[:1]))
    talk.append(*(e.TurnExcluded(turn=turn.seq) for turn in cards[1:]))
    again = cards[0]
    talk.append(e.TurnExcluded(turn=again.seq), e.StepRetried(failed_key=again.said.step_key))
    talk.perform(talk.ready()[0], "Once more.")
    talk.ready()
    last = [turn for turn in talk.state.transcript() if turn.is_pending]
    talk.append(*(e.TurnIncluded(turn=turn.seq) for turn in last))
    talk.append(e.ParticipantUnmuted(participant="alice"), e.ParticipantLeft(participant="guest"))
    talk.pace(Pacing.AUTO)
    talk.speak("SKIP", "SKIP", "SKIP")
    talk.say("Thank you")
    talk.append(e.StopRequested(), e.DebateStopped(), e.DebateResumed(), e.EndRequested())
    talk.ready()
    return talk


def room_tuned() -> Play:
    """Opened with its notices; settings changed on the way; a mention, and one who stays alone."""
    talk = Talking(max_messages=2)
    talk.append(*talk.form.opening(talk.state.config))
    talk.say("@Bob, you first?")
    talk.speak("Tea.", "Coffee.")
    talk.append(e.SettingsChanged(settings={"max_messages": 0, "response_delay": 9.0}))
    talk.say("")
    talk.speak("Water.", "SKIP", "Milk.")
    talk.append(e.SettingsChanged(settings={"max_wait": 90, "compact": True}))
    talk.append(e.ParticipantLeft(participant="bob"), e.ParticipantLeft(participant="charlie"))
    talk.speak("So be it.")
    talk.append(e.EndRequested())
    talk.ready()
    return talk


def renamed() -> Play:
    """A rematch that is renamed while it runs, loses its title, and gets one when it is over."""
    config = msgspec.structs.replace(
        duel(turns=2, a=Stance.CON),
        seed=7,
        draws=(Draw(name="order", options=("Bo", "Ada"), chosen=("Ada", "Bo")),),
        rematch_of="k3f2m9",
        moot_version="0.2.0",
    )
    played = Play(Duel(), config)
    advance(played, 3)
    played.append(e.DebateRenamed(title="Bees, once more"))
    advance(played, 1)
    played.append(e.DebateRenamed(title=""))
    advance(played, 99)
    played.append(e.DebateRenamed(title="Bees: the rematch"), after=timedelta(hours=1))
    return played


LOGS: dict[str, Callable[[], Play]] = {
    "duel": plain,
    "duel_contested": contested,
    "duel_interrupted": interrupted,
    "duel_renamed": renamed,
    "duel_seated": courses.seated_duel,
    "room": room,
    "room_tuned": room_tuned,
    "rounds": courses.guided,
    "rounds_tie": courses.tie,
    "rounds_undecided": courses.undecided,
    "rounds_canceled": courses.canceled,
    "rounds_slept": courses.slept,
    "standard": courses.standard,
    "custom": courses.custom,
    "classic": courses.classic,
    "council": courses.voted,
    "council_ended": courses.ended,
    "poll": courses.polled,
    "hearing": courses.heard,
    "exam": courses.examined,
}


def write_expected(path: Path) -> None:
    expected = msgspec.json.encode(expected_of(read_log(path)))
    path.with_suffix(".expected.json").write_bytes(msgspec.json.format(expected, indent=1) + b"\n")


def main() -> None:
    is_made, names = sys.argv[1:2] != ["--expect"], [one for one in sys.argv[1:] if one in LOGS]
    for name in names:
        path = Path(HERE, f"{name}.jsonl")
        if is_made and path.exists():
            raise SystemExit(f"{path} is golden: it is never made again")
        if is_made:
            write_log(path, LOGS[name]().log)
        write_expected(path)


if __name__ == "__main__":
    main()
