"""What a debate may do, in a hundred lines that share nothing with `moot.protocol`.

Written from seeds 001 and 003 and from DESIGN.md, not from the code: two tables that say what a
command does and what has to be said before what. It is fed the log, event by event, by name, and
objects to whatever the tables do not allow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "created": {"start": "running", "cancel": "canceled"},
    "running": {"stop": "stopping", "end": "running", "cancel": "canceled"},
    "waiting": {"stop": "stopped", "end": "running", "cancel": "canceled"},
    "stopping": {"resume": "running", "end": "running", "cancel": "canceled"},
    "stopped": {"resume": "running", "end": "running", "cancel": "canceled"},
    "failed": {"retry": "running", "end": "running", "cancel": "canceled"},
    "completed": {},
    "canceled": {},
}
ASKED = {
    "DebateStarted": "start",
    "StopRequested": "stop",
    "DebateResumed": "resume",
    "EndRequested": "end",
    "DebateCanceled": "cancel",
    "DebateRetried": "retry",
}
ACTIVE, TERMINAL = ("running", "stopping"), ("completed", "canceled")
DELETABLE = tuple(status for status in COMMANDS if status not in ACTIVE)

A_SAID, B_SAID = "opening/1/ada/speak", "exchange/1/bob/speak"
A_PLAN, B_PLAN = "planning/1/ada/plan", "planning/1/bob/plan"
DUEL: Mapping[str, tuple[str, ...]] = {
    # step: what must have been recorded before it may begin
    A_PLAN: (),
    B_PLAN: (),
    "opening/1/ada/think": (A_PLAN,),
    A_SAID: ("opening/1/ada/think", B_PLAN),
    "opening/1/jo/evaluate/ada": (A_SAID,),
    "opening/1/jo/score/ada": ("opening/1/jo/evaluate/ada",),
    "exchange/1/bob/think": (A_SAID,),
    B_SAID: ("exchange/1/bob/think",),
    "exchange/1/jo/evaluate/bob": (B_SAID, "opening/1/jo/score/ada"),
    "exchange/1/jo/score/bob": ("exchange/1/jo/evaluate/bob",),
    "verdict/jo/deliberate": ("opening/1/jo/score/ada", "exchange/1/jo/score/bob"),
    "verdict/jo/confirm": ("verdict/jo/deliberate",),
    "verdict/jo/record": ("verdict/jo/confirm",),
    "verdict/jo/announce": ("verdict/jo/record",),
}
ROUNDS: Mapping[str, tuple[str, ...]] = {
    "debate/1/ada/speak": (),
    "debate/1/bob/speak": ("debate/1/ada/speak",),
    "debate/2/ada/speak": ("debate/1/bob/speak",),
    "debate/2/bob/speak": ("debate/2/ada/speak",),
    "verdict/jo/verdict": ("debate/2/bob/speak",),
}
SUMMARY, FINAL = "conclusion/1/jo/summarize", "conclusion/1/jo/summarize/manual"
CUSTOM: Mapping[str, tuple[str, ...]] = {
    "introduction/1/jo/speak": (),
    "discussion/1/ada/speak": ("introduction/1/jo/speak",),
    "discussion/1/bob/speak": ("discussion/1/ada/speak",),
    "discussion/2/ada/speak": ("discussion/1/bob/speak",),
    "discussion/2/bob/speak": ("discussion/2/ada/speak",),
    SUMMARY: ("discussion/2/bob/speak",),
    FINAL: (),  # in place of all that is left, once somebody asked for the end
}
STEPS = {"duel": DUEL, "rounds": ROUNDS, "custom": CUSTOM}


def plain(key: str) -> str:
    """A verdict is the same step in whichever round it is asked for."""
    return re.sub(r"^verdict/\d+/", "verdict/", key)


class Model:
    """One debate of two statements (duel) or two rounds, perhaps with one person in it."""

    def __init__(self, form: str, person: str = "") -> None:
        self.person = person
        # A person need not plan before others speak: it goes along with their first statement.
        self.steps = {
            key: tuple(one for one in before if not (one == B_PLAN and self.is_persons(one)))
            for key, before in STEPS[form].items()
        }
        self.status = "created"
        self.seq = 1
        self.recorded: set[str] = set()
        self.failed: set[str] = set()
        self.tries: dict[str, int] = {}
        self.ending = False
        self.begun: set[str] = set()
        """What may have been in flight when the end was asked for."""
        self.wishes = 0
        """What people have asked for or said."""

    # --- what may be said ---

    def needed(self) -> set[str]:
        """All steps; once somebody asked for the end, what judge or moderator still owe."""
        if not self.ending:
            return set(self.steps) - {FINAL}
        if FINAL in self.steps:
            return set() if SUMMARY in self.recorded else {FINAL}
        said = {key for key in self.recorded if key.endswith("/speak")}
        if not said:
            return set()
        return {
            key
            for key in self.steps
            if "/jo/" in key and not (key.endswith("/bob") and B_SAID not in said)
        }

    def open(self) -> set[str]:
        needed = self.needed()
        return {
            key
            for key in needed - self.recorded
            if all(one in self.recorded for one in self.steps[key] if one in needed)
        }

    def may_be_answered(self, key: str) -> bool:
        """Whether the person may fill in the form of this step: one form answers what they owe
        before it too, such as thoughts, and so it may only wait for others."""
        if key not in self.needed() - self.recorded or not self.is_persons(key):
            return False
        before = set(self.steps[key]) & self.needed() - self.recorded
        return all(self.may_be_answered(one) for one in before)

    @property
    def asks_somebody(self) -> bool:
        is_open = self.status in ("running", "waiting")
        return is_open and any(self.may_be_answered(key) for key in self.steps)

    def is_persons(self, key: str) -> bool:
        return bool(self.person) and f"/{self.person}/" in key

    def wanted(self) -> set[str]:
        """The calls that a worker who has heard everything has in flight, if none has failed."""
        return {key for key in self.open() if not self.is_persons(key)}

    def settled(self, in_flight: set[str]) -> str:
        """The status, once a worker has drawn all conclusions and these calls are in flight."""
        if self.status == "stopping":
            return "stopping" if in_flight else "stopped"
        if self.status != "running" or in_flight & self.open():
            return self.status
        if not self.open():
            return "completed"
        if self.open() & self.failed:
            return "failed"
        return "running" if self.wanted() else "waiting"

    # --- what was said ---

    def replay(self, seq: int, name: str, event: Any) -> None:
        """Take in one event of the log, or object."""
        assert seq == self.seq + 1, f"event {seq} after {self.seq}"
        assert self.status not in TERMINAL, f"{name} after {self.status}"
        self.seq = seq
        if name in ASKED:
            self._asked(ASKED[name])
        elif name == "TurnRecorded":
            self._said(plain(event.step_key), is_persons=not event.model)
        elif name == "StepFailed":
            self.failed.add(plain(event.failed_key))
        elif name == "AttemptFailed":
            key = plain(event.attempt_of)
            self.tries[key] = self.tries.get(key, 0) + 1
        elif name in CONCLUSIONS:
            expected, status = self.settled(set()), CONCLUSIONS[name]
            assert status == expected, f"{name} where {expected} was expected"
            self.status = status
        else:
            if name == "QuestionClosed":
                assert plain(event.question_id) not in self.open()
            else:
                assert name in (
                    "StageEntered",
                    "QuestionOpened",
                    "DebateRecovered",
                    "ClockJumped",
                ), name
            assert self.status in ACTIVE, f"{name} while {self.status}"

    def _asked(self, command: str) -> None:
        possible = COMMANDS[self.status]
        assert command in possible, f"{command} was taken while {self.status}"
        self.status = possible[command]
        if command in ("resume", "retry", "end"):
            self.failed.clear()
        if command == "end" and not self.ending:
            self.begun, self.ending = self.open(), True
        self.wishes += 1

    def _said(self, key: str, *, is_persons: bool) -> None:
        assert key not in self.recorded, f"{key} is recorded twice"
        # A worker that hears of the end and of a stop at once keeps what it has paid for.
        is_kept = self.status == "stopping" and key in self.begun
        assert key in self.open() or is_kept, f"{key} is not wanted now"
        assert is_persons == self.is_persons(key), f"{key} by the wrong one"
        assert self.status in (("running", "waiting") if is_persons else ACTIVE), self.status
        self.wishes += is_persons
        self.recorded.add(key)
        if self.status == "waiting":
            self.status = "running"


CONCLUSIONS = {
    "DebateSuspended": "waiting",
    "DebateStopped": "stopped",
    "DebateFailed": "failed",
    "DebateCompleted": "completed",
}
