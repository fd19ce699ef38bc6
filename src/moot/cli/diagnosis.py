"""Why a debate does not move, and what to do about it: what `moot doctor ID` tells.

Findings rest on what the database says and on what can be seen of other processes from here.
Nothing is changed, and no claim is made that cannot be known from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import assert_never

import msgspec

from moot.cli.view.console import clock, duration
from moot.cli.view.waits import waiting
from moot.engine.quarantine import MOST_DEATHS
from moot.protocol.deciding import steps_to_come
from moot.protocol.limits import LIMITS
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import Status
from moot.store.port import SUSPECT_AFTER, Custody
from moot.store.rows import CRASH_LOOP
from moot.store.worker_identity import is_gone

LEAST_FREE_MB = 50


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What is the case, and what to do about it; `do` is "" if the debate goes on by itself."""

    what: str
    do: str = ""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a debate and of what is around it."""

    id: str
    state: DebateState
    custody: Custody
    last_at: datetime
    now: datetime
    workers: int = 0
    """How many workers are not known to be gone."""
    unheld: int = 0
    """How many debates should be running but are held by nobody, perhaps including this one."""
    free_mb: int | None = None
    """Free space on the database's disk, if that is on this machine."""


def findings(facts: Facts) -> tuple[Finding, ...]:
    """Everything that explains where the debate stands, the most telling first."""
    return (*_of_status(facts), *_of_disk(facts))


def _of_status(facts: Facts) -> Iterator[Finding]:
    debate, status = facts.id, facts.state.status
    match status:
        case Status.CREATED:
            yield Finding(what="It was created but not started.", do=f"moot start {debate}")
        case Status.WAITING:
            yield from _of_questions(facts)
        case Status.STOPPED:
            yield Finding(what="It was stopped.", do=f"moot resume {debate}")
        case Status.FAILED:
            yield _of_failure(facts)
        case Status.COMPLETED | Status.CANCELED:
            yield Finding(what=f"It is over: {status}.", do=f"moot show {debate}")
        case Status.RUNNING | Status.STOPPING:
            yield from _of_work(facts)
        case _:
            assert_never(status)


def _of_questions(facts: Facts) -> Iterator[Finding]:
    for question in facts.state.questions.values():
        name = facts.state.label_of(question.participant)
        until = (
            f" If there is no answer {_at(question.expires_at)}, it continues without one."
            if question.expires_at
            else ""
        )
        yield Finding(
            what=f"It is waiting for {name} ({question.question_id}).{until}",
            do=f"moot answer {facts.id} {question.question_id}",
        )


def _of_failure(facts: Facts) -> Finding:
    failure = facts.state.failure
    reason = f"{failure.error} ({failure.code})" if failure else "its log does not say why"
    if failure and failure.code == CRASH_LOOP:
        return Finding(
            what=f"It failed: {reason}.",
            do=(
                "Look at the log of the server or worker, and at the machine's memory. "
                f"moot retry {facts.id} tries again, in a separate process."
            ),
        )
    return Finding(what=f"It failed: {reason}.", do=f"moot retry {facts.id}")


# --- a debate that ought to move -----------------------------------------------------------------


def _of_work(facts: Facts) -> Iterator[Finding]:
    if facts.custody.deaths >= SUSPECT_AFTER and facts.state.status is Status.RUNNING:
        yield _of_quarantine(facts)
    # If no process holds the debate, none tries the call again, whatever the log announced.
    for wait in facts.state.waits.values() if facts.custody.is_current else ():
        name = facts.state.label_of(wait.participant) if wait.participant else wait.step_key
        yield Finding(
            what=f"{name} needs a provider: {waiting(wait, facts.now)}; try {wait.attempts}.",
            do=(
                "Nothing, if it is an outage: the debate continues by itself. To see whether the "
                f"provider answers: moot models test {wait.model or 'MODEL'}"
            ),
        )
    for limit, observed in facts.state.limits.items():
        yield Finding(
            what=f"{LIMITS[limit]} is reached ({observed:g}), so only the closing stage follows.",
            do=f"To continue from here with another limit: moot fork {facts.id}",
        )
    yield _of_holder(facts)
    if facts.state.status is Status.STOPPING:
        yield Finding(
            what="It will stop once the calls in flight are answered.",
            do=f"To cancel it for good, at once: moot cancel {facts.id}",
        )
    holder = facts.custody.holder
    is_at_work = holder is not None and facts.custody.is_current and not is_gone(holder)
    if is_at_work and not facts.state.waits:
        yield from _of_steps(facts)


def _of_quarantine(facts: Facts) -> Finding:
    custody = facts.custody
    died = custody.deaths - SUSPECT_AFTER
    is_later = custody.next_try_at is not None and custody.next_try_at > facts.now
    then = f"The next try is {_at(custody.next_try_at)}." if is_later else "It is being tried now."
    return Finding(
        what=(
            f"It is in quarantine: {SUSPECT_AFTER} workers in a row died while running it, without "
            "progress, so it is now tried in separate processes. "
            f"{died} of those have died; after {MOST_DEATHS} in a row it fails. {then}"
        ),
        do="Nothing, if you killed the workers. If not, look at their log and at memory.",
    )


def _of_holder(facts: Facts) -> Finding:
    custody = facts.custody
    holder = custody.holder
    if holder is None:
        return _of_nobody(facts)
    since = f" since {clock(custody.since)}" if custody.since else ""
    who = f"Process {holder.pid} (worker {holder.id}) has it{since}"
    gone = is_gone(holder)
    if gone or not custody.is_current:
        why = "is gone" if gone else "has not been heard from: its lease has expired"
        if facts.workers:
            do = "Nothing: another worker takes over within seconds."
        else:
            do = f"moot serve, or moot resume {facts.id}"
        return Finding(what=f"{who}, and {why}.", do=do)
    lives = (
        "and is alive" if gone is False else f"on {holder.machine.partition('/')[0]}, and reports"
    )
    return Finding(what=f"{who}, {lives}.", do=f"To see it at work: moot watch {facts.id}")


def _of_nobody(facts: Facts) -> Finding:
    if not facts.workers:
        return Finding(
            what="No process is running it, and there is no server or worker that could.",
            do=f"moot serve, moot worker, or run it here: moot resume {facts.id}",
        )
    return Finding(
        what=(
            f"No worker has taken it yet. Debates waiting for a worker: {facts.unheld}; "
            f"workers: {facts.workers}."
        ),
        do=(
            "Nothing at first: workers look every few seconds. If it stays like this, all workers "
            "are busy: start another one, or raise --concurrency."
        ),
    )


def _of_steps(facts: Facts) -> Iterator[Finding]:
    state = facts.state
    steps = steps_to_come(format_named(state.config.format), state, facts.now)
    quiet_s = max(0.0, (facts.now - facts.last_at).total_seconds())
    for step in steps:
        if not state.is_person(step.participant):
            limit_s = float(state.settings.call_timeout_seconds)
            yield Finding(
                what=(
                    f"{state.label_of(step.participant)} is {KINDS[step.kind].doing}. The last "
                    f"event was {duration(quiet_s)} ago; a call may take {duration(limit_s)}."
                )
            )


def _of_disk(facts: Facts) -> Iterator[Finding]:
    if facts.free_mb is not None and facts.free_mb < LEAST_FREE_MB:
        yield Finding(
            what=f"The database's disk has only {facts.free_mb} MB left: nothing can be recorded.",
            do="Free some space. Debates then continue by themselves.",
        )


def _at(moment: datetime | None) -> str:
    return f"at {clock(moment)}" if moment else "soon"
