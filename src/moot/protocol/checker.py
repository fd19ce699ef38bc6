"""Proves things about formats before anything runs.

`problems` reads the tables. `rehearse` plays a whole debate without a model, a clock or a database:
replies and the order in which they arrive are chosen by the caller, so that a property test can try
them all, and the worst-case count of calls can be compared with what a run really makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from moot.errors import IllegalEvent
from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.deciding import settle
from moot.protocol.machine import END, FAILED, Format, completed
from moot.protocol.state import DebateState
from moot.protocol.steps import Finish, Idle, Run, Step, recorded
from moot.protocol.values import Config

_Edges = Mapping[str | None, set[str | None]]

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
STEP_TIME = timedelta(seconds=1)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at: whether it is as it should be, what it was, and the details."""

    ok: bool
    what: str
    detail: str


def check(form: Format) -> list[Finding]:
    """Everything that can be proven of a format before it runs."""
    found = problems(form)
    detail = "; ".join(found) or f"{len(form.stages)} stages, {len(form.transitions)} transitions"
    return [Finding(ok=not found, what="the tables are sound", detail=detail)]


def problems(form: Format) -> list[str]:
    """What is wrong with the tables of a format; empty if nothing is."""
    names = [stage.name for stage in form.stages]
    known = {None, *names}
    found = [f"{name} is declared twice" for name in names if names.count(name) > 1]
    for row in form.transitions:
        found += [f"{end} is no stage" for end in (row.source, row.target) if end not in known]
    reached = _closure({row.source: _targets(form, row.source) for row in form.transitions}, None)
    found += [f"{name} cannot be reached" for name in names if name not in reached]
    edges: _Edges = {name: _targets(form, name) for name in names}
    for name in names:
        ways = _closure(edges, name)
        found += [] if None in ways else [f"{name} never leads to the end"]
    return found + _endless(form)


def _targets(form: Format, source: str | None) -> set[str | None]:
    # That a debate may fail anywhere is no way to its end.
    rows = (row for row in form.transitions if row.source == source)
    return {row.target for row in rows if row.event != FAILED}


def _closure(table: _Edges, start: str | None) -> set[str | None]:
    reached: set[str | None] = set()
    waiting = [start]
    while waiting:
        for target in table.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


def _endless(form: Format) -> list[str]:
    """Stages that `end` cannot leave although they do not lead straight to the end."""
    return [
        f"{stage.name} has no way out for {END}"
        for stage in form.stages
        if None not in _targets(form, stage.name)
        and not any(row.event == END for row in form.transitions if row.source == stage.name)
    ]


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """A debate played without models: its log, and the steps in the order they were answered."""

    state: DebateState
    log: tuple[e.Recorded, ...]
    steps: tuple[Step, ...]
    rounds: int
    """How often the engine would have to wait: the longest chain if `choose` takes all steps."""


Reply = Callable[[Step, DebateState], str]
Choose = Callable[[Sequence[Step]], Sequence[Step]]


def rehearse(
    form: Format, config: Config, reply: Reply, choose: Choose = lambda steps: steps
) -> Rehearsal:
    """Play `config` to its end. Raises IllegalEvent if it does not end within its own bounds."""
    stage = _Rehearsing(form, config)
    most = 4 * form.most_calls(config) + 100
    for rounds in range(most):
        ready = stage.settle()
        if ready is None:
            return Rehearsal(
                state=stage.state, log=tuple(stage.log), steps=tuple(stage.steps), rounds=rounds
            )
        for step in choose(ready):
            stage.perform(step, reply(step, stage.state))
    message = f"{form.name} does not end within {most} moves"
    raise IllegalEvent(message)


class _Rehearsing:
    def __init__(self, form: Format, config: Config) -> None:
        self.form = form
        created = e.Recorded(1, BEGINNING, e.DebateCreated(config=config))
        self.log = [created]
        self.state = DebateState(created, form)
        self.steps: list[Step] = []
        self.append(e.DebateStarted())

    @property
    def now(self) -> datetime:
        return BEGINNING + STEP_TIME * len(self.log)

    def append(self, event: e.AnyEvent) -> None:
        record = e.Recorded(self.state.seq + 1, self.now, event)
        self.state.apply(record)
        self.log.append(record)

    def settle(self) -> Sequence[Step] | None:
        """The steps that are ready, all bookkeeping done; None at the end."""
        match settle(self.form, self.state, self.append, lambda: self.now):
            case Run(steps):
                return steps
            case Finish(stop_reason, outcome):
                self.append(completed(stop_reason, outcome))
                return None
            case Idle(reason):
                message = f"{self.form.name} stands still: {reason}"
                raise IllegalEvent(message)

    def perform(self, step: Step, text: str) -> None:
        read = step.answer.read(text)
        data = step.answer.fallback(read.reason) if isinstance(read, Unreadable) else read
        self.steps.append(step)
        self.append(
            recorded(
                step,
                content=step.answer.shown(text, data),
                data=data,
                prompt=step.key,
                model="rehearsal",
            )
        )
