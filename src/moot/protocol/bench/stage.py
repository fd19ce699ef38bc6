"""A hearing as the last stage of a debate that names a bench in its settings.

It comes after the outcome and never changes it: no ballot is owed once a limit is reached or
somebody has ended the debate, and a ballot that does not come never fails the debate, not even if
a provider is down. The certificate then says what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec

from moot.protocol.bench import asking, benches
from moot.protocol.bench.asking import PROMPT, STAGE, Bench
from moot.protocol.bench.telling import certificate, closed, named_by
from moot.protocol.events import NoticePosted
from moot.protocol.hearing.case import Case
from moot.protocol.hearing.plan import Plan
from moot.protocol.machine import (
    END,
    Format,
    Guard,
    Rounds,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import OutcomeStatus, Solution, Verdict
from moot.protocol.recovering import LEFT_OUT, Recovery, recovered, recoveries
from moot.protocol.settings import BenchSettings, frozen, narrowed
from moot.protocol.state import DebateState
from moot.protocol.steps import Next, Step
from moot.protocol.values import Config, Place
from moot.protocol.words import Role

DECIDED = "DECIDED"
BEHIND: Place = (1000,)
"""Where ballots stand: behind all rounds that any debate with a bench can have."""
LEAST_TOKENS = 1000
"""Room for reasons, however short statements are to be."""
RETRIES = 1
"""How often a failed ballot is asked for again."""

MakeCase = Callable[[DebateState], Case | None]


def without(state: DebateState, step: Step) -> NoticePosted:
    """The notice for a ballot that does not come, and so counts for nobody."""
    name, error = state.label_of(step.participant), state.failures[step.key].error
    text = f"{name}: no ballot ({error})"
    return NoticePosted(code=LEFT_OUT, text=text, participant=step.participant, about=step.key)


RECOVERY = Recovery(retries=lambda _state: RETRIES, without=without, despite_outages=True)


# --- the tables -----------------------------------------------------------------------------------


def stage_of(case: MakeCase) -> Stage:
    """The hearing stage of a format whose debates have the case that `case` makes."""

    def voting(state: DebateState) -> tuple[Step, ...]:
        bench = bench_of(state, case)
        return asking.steps(state, bench) if bench else ()

    def voted(state: DebateState) -> str | None:
        bench = bench_of(state, case)
        return None if bench and asking.due_look(state, bench) else DECIDED

    return Stage(
        name=STAGE,
        about="If there is a bench, its judges vote in both orders of the names, each by itself.",
        steps=voting,
        emits=voted,
        needs=Role.BENCH,
    )


def row_to(source: str, event: str, can_be_heard: Guard) -> Transition:
    """The row that leads to the hearing, if there is to be one. The round stays: outcomes are found
    by it."""

    def has_bench(state: DebateState) -> bool:
        if state.limits or state.ending or not benches.bench_in(state.config.participants):
            return False
        return can_be_heard(state)

    return Transition(source=source, event=event, target=STAGE, guard=has_bench, rounds=Rounds.SAME)


ROWS = (
    Transition(source=STAGE, event=DECIDED, target=None),
    Transition(source=STAGE, event=END, target=None),
    *recoveries(STAGE),
)
"""The transitions of the hearing itself."""


def bench_of(state: DebateState, case: MakeCase) -> Bench | None:
    """The debate's own bench; None if it has none, or there is nothing to judge."""
    settings = state.settings_as(BenchSettings)
    plan = benches.planned(state.config.participants, settings)
    found = case(state) if plan else None
    if plan is None or found is None:
        return None
    return Bench(
        case=found,
        plan=plan,
        judges=benches.bench_in(state.config.participants),
        max_tokens=max(settings.max_tokens, LEAST_TOKENS),
        before=BEHIND,
    )


# --- what three formats have in common ------------------------------------------------------------


class Benched(Format):
    """A format whose debates may end with a hearing: `stage_of` is its last stage, `row_to` leads
    there and ROWS lead out. Calls, refusals and the outcome are its own plus those of the bench."""

    def own_calls(self, config: Config) -> int:
        """The most calls before the hearing."""
        raise NotImplementedError

    def own_chain(self, config: Config) -> int:
        """How many of those calls must follow one another at the most."""
        return self.own_calls(config)

    def own_outcome(self, state: DebateState) -> Verdict | Solution | None:
        """The outcome without a certificate."""
        raise NotImplementedError

    def check(self, config: Config) -> None:
        benches.check(config)

    def cautions(self, config: Config) -> tuple[str, ...]:
        plan = self._plan(config)
        if plan is None:
            return ()
        judges, sides = benches.bench_in(config.participants), benches.arguing(config)
        return tuple(benches.cautions(judges, plan, sides, repeats="hearing: 4"))

    def most_calls(self, config: Config) -> int:
        return self.own_calls(config) + benches.most_calls(self._plan(config))

    def longest_chain(self, config: Config) -> int:
        return self.own_chain(config) + benches.longest_chain(self._plan(config))

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        return recovered(self, state, walk(self, state), RECOVERY)

    def outcome(self, state: DebateState) -> Verdict | Solution | None:
        return with_certificate(state, self.own_outcome(state), self.case)

    def _plan(self, config: Config) -> Plan | None:
        settings = narrowed(frozen(self.settings, config.settings), BenchSettings)
        return benches.planned(config.participants, settings)


def with_certificate(
    state: DebateState, outcome: Verdict | Solution | None, case: MakeCase
) -> Verdict | Solution | None:
    """The outcome with the certificate of the bench. A hearing that was cut off, or that a limit
    prevented, is reported as not finished. A debate with a bench but no judge has no verdict, only
    a certificate."""
    is_held = state.stage == STAGE
    bench = bench_of(state, case) if outcome or is_held else None
    if bench is None:
        return outcome
    told = closed(certificate(state, bench, named_by(outcome, bench.case)))
    told = msgspec.structs.replace(told, prompt=PROMPT)
    if outcome is None:
        return Verdict(status=OutcomeStatus.MISSING, certificate=told)
    return msgspec.structs.replace(outcome, certificate=told)
