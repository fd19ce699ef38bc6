"""Tries formats out before anything runs, and says what is wrong with them.

`problems` reads the tables. `rehearse` plays a whole debate without a model, a clock or a database:
replies and the order in which they arrive are chosen by the caller, so that a property test can try
them all, and the worst-case count of calls can be compared with what a run really makes. `check`
does both, for whoever has written a format and wants to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from moot.errors import IllegalEvent, InvalidInput, mistake
from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.deciding import allowed, settle, upcoming
from moot.protocol.example_replies import example_reply
from moot.protocol.machine import END, FAILED, Format, completed
from moot.protocol.outcomes import Certificate
from moot.protocol.settings import as_data
from moot.protocol.state import DebateState
from moot.protocol.steps import Broken, Finish, Idle, Prompt, Run, Step, recorded
from moot.protocol.values import Config, Participant, Place
from moot.protocol.visibility import history
from moot.protocol.words import USER, Role, Status, StopReason, Visibility
from moot.structs import ready

_Edges = Mapping[str | None, set[str | None]]

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
STEP_TIME = timedelta(seconds=1)


# --- the tables -----------------------------------------------------------------------------------


def problems(rules: Format) -> list[str]:
    """What is wrong with the tables of a format; empty if nothing is."""
    names = [stage.name for stage in rules.stages]
    known = {None, *names}
    found = [f"{name} is declared twice" for name in names if names.count(name) > 1]
    for row in rules.transitions:
        found += [f"{end} is no stage" for end in (row.source, row.target) if end not in known]
    reached = _closure({row.source: _targets(rules, row.source) for row in rules.transitions}, None)
    found += [f"{name} cannot be reached" for name in names if name not in reached]
    edges: _Edges = {name: _targets(rules, name) for name in names}
    for name in names:
        ways = _closure(edges, name)
        found += [] if None in ways else [f"{name} never leads to the end"]
    return found + _endless(rules) + _closing_at_once(rules)


def _targets(rules: Format, source: str | None) -> set[str | None]:
    # FAILED is left out: that a debate may fail anywhere does not count as a way to its end.
    rows = (row for row in rules.transitions if row.source == source)
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


def _endless(rules: Format) -> list[str]:
    """Stages that `end` cannot leave although they do not lead straight to the end."""
    return [
        f"{stage.name} has no way out for {END}"
        for stage in rules.stages
        if None not in _targets(rules, stage.name)
        and not any(row.event == END for row in rules.transitions if row.source == stage.name)
    ]


def _closing_at_once(rules: Format) -> list[str]:
    """Stages that begin a debate and close it: limits do not hold there, so none ever would."""
    first = _targets(rules, None)
    return [
        f"{stage.name} begins the debate and cannot close it"
        for stage in rules.stages
        if stage.closes and stage.name in first
    ]


# --- rehearsals -----------------------------------------------------------------------------------


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """A debate played without models: its log, and the steps in the order they were answered."""

    state: DebateState
    log: tuple[e.Recorded, ...]
    steps: tuple[Step, ...]
    rounds: int
    """How often the engine would have to wait: the longest chain if `choose` takes all steps."""
    late: tuple[Step, ...] = ()
    """The steps that were begun after a limit was reached."""


Reply = Callable[[Step, DebateState], str]
Choose = Callable[[Sequence[Step]], Sequence[Step]]


def rehearse(
    rules: Format,
    config: Config,
    reply: Reply,
    choose: Choose = lambda steps: steps,
    *,
    limit_after: int | None = None,
) -> Rehearsal:
    """Play `config` to its end. Raises IllegalEvent if it does not end within its own bounds.

    A limit is reached after `limit_after` steps, if it is given. In a conversation that only people
    end, somebody speaks at the beginning, and ends it as soon as nobody has to answer.
    """
    stage = _Rehearsing(rules, config, limit_after)
    most = 4 * rules.most_calls(config) + 100
    for rounds in range(most):
        ready = stage.settle()
        if ready is None:
            return stage.rehearsed(rounds)
        for step in choose(ready):
            stage.perform(step, reply(step, stage.state))
    message = f"{rules.name} does not end within {most} moves"
    raise IllegalEvent(message)


class _Rehearsing:
    def __init__(self, rules: Format, config: Config, limit_after: int | None) -> None:
        self.rules = rules
        self.limit_after = limit_after
        created = e.Recorded(1, BEGINNING, e.DebateCreated(config=config))
        self.log = [created]
        self.state = DebateState(created, rules)
        self.steps: list[Step] = []
        self.late: list[Step] = []
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
        while True:
            self._reach_the_limit()
            match settle(self.rules, self.state, self.append, lambda: self.now):
                case Run(steps):
                    return steps
                case Finish(stop_reason, outcome):
                    self.append(completed(stop_reason, outcome))
                    return None
                case Idle(reason):
                    self._go_on(reason)
                case Broken(error):
                    raise IllegalEvent(mistake(error)) from error

    def _reach_the_limit(self) -> None:
        is_due = self.limit_after is not None and len(self.steps) >= self.limit_after
        if is_due and not self.state.limits:
            self.append(e.LimitReached(limit=StopReason.MAX_TOKENS, observed=1))

    def _go_on(self, reason: str) -> None:
        if not self.rules.is_open_ended or self.state.ending:
            message = f"{self.rules.name} stands still: {reason}"
            raise IllegalEvent(message)
        is_first = not self.state.messages_said
        said = e.MessageSaid(participant=USER, content="Where do we begin?")
        self.append(said if is_first else e.EndRequested())

    def perform(self, step: Step, text: str) -> None:
        read = step.answer.read(text)
        data = step.answer.fallback(read.for_people) if isinstance(read, Unreadable) else read
        self.steps.append(step)
        if self.state.limits:
            self.late.append(step)
        turn = recorded(
            step,
            content=step.answer.shown(text, data),
            data=data,
            prompt=step.key,
            model="rehearsal",
            flags=tuple(step.answer.flags(data)),
            visibility=step.answer.visibility(data) or step.visibility,
        )
        self.append(turn)

    def rehearsed(self, rounds: int) -> Rehearsal:
        return Rehearsal(
            state=self.state,
            log=tuple(self.log),
            steps=tuple(self.steps),
            rounds=rounds,
            late=tuple(self.late),
        )


# --- all that can be proven -----------------------------------------------------------------------


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at: whether it is as it should be, what it was, and the details."""

    ok: bool
    what: str
    detail: str


ROSTERS: tuple[tuple[tuple[str, Role], ...], ...] = (
    (),
    (("ann", Role.DEBATER), ("ben", Role.DEBATER), ("jo", Role.JUDGE)),
    (("ann", Role.DEBATER), ("ben", Role.DEBATER), ("mo", Role.MODERATOR)),
    (("ann", Role.DEBATER), ("ben", Role.DEBATER)),
    (("ann", Role.MEMBER), ("ben", Role.MEMBER), ("jo", Role.JUDGE)),
    (("ann", Role.MEMBER), ("ben", Role.MEMBER)),
)
"""The rosters to try a format with: its default one, then those that most formats take. The first
that it accepts is used."""
TRIED_LIMITS = 12
"""A limit is tried before the first step, and after each of so many steps."""


Render = Callable[[Prompt], str]
"""Fills in a prompt. Raises InvalidInput if there is no such prompt, or a slot is not filled."""


def check(rules: Format, render: Render) -> list[Finding]:
    """Everything that can be found out about a format with its default settings."""
    found = problems(rules)
    tables = f"{len(rules.stages)} stages, {len(rules.transitions)} transitions"
    findings = [_finding("the tables are sound", found, tables)]
    try:
        config = _example_of(rules)
        findings += _course(rules, config)
        findings += _asking(rules, config, render)
        findings += [*_limits(rules, config), _privacy(rules, config)]
    except KeyboardInterrupt:  # somebody presses Ctrl-C
        raise
    except BaseException as error:  # noqa: BLE001 - it is anybody's code that is tried
        detail = mistake(error)
        findings.append(Finding(ok=False, what="a rehearsal comes to its end", detail=detail))
    return findings


def _finding(what: str, faults: Iterable[str], detail: str) -> Finding:
    said = "; ".join(faults)
    return Finding(ok=not said, what=what, detail=said or detail)


def _example_of(rules: Format) -> Config:
    settings = rules.settings()
    for roster in ROSTERS:
        people = tuple(Participant(id=one, name=one.title(), role=role) for one, role in roster)
        try:
            cast = rules.cast(settings, people or rules.default_roster)
        except InvalidInput:
            continue
        if cast:
            data = as_data(settings)
            config = Config(format=rules.name, topic="Why?", settings=data, participants=cast)
            return rules.exemplified(config)
    message = (
        f"{rules.name} accepts none of the rosters it was tried with; give it a default_roster"
    )
    raise InvalidInput(message, field="participants")


def _reply(step: Step, _state: DebateState) -> str:
    return example_reply(step)


def _course(rules: Format, config: Config) -> Iterator[Finding]:
    made = rehearse(rules, config, _reply)
    detail = f"{len(made.steps)} steps, {made.state.stop_reason}"
    yield Finding(ok=True, what="a rehearsal comes to its end", detail=detail)
    for what, count, most in (
        ("it makes no more calls than it says", made.state.calls, rules.most_calls(config)),
        ("no chain is longer than it says", made.rounds, rules.longest_chain(config)),
    ):
        faults = [f"{count} of at most {most}"] if count > most else []
        yield _finding(what, faults, f"{count} of at most {most}")


def _asking(rules: Format, config: Config, render: Render) -> Iterator[Finding]:
    """Whether every step can be asked for, and the debate looked at before, after each, and at its
    end."""
    faults: dict[str, None] = {}
    unseen = dict.fromkeys(_unseen(_before(rules, config)))
    keys: dict[Place, str] = {}

    def reply(step: Step, state: DebateState) -> str:
        at_place = keys.setdefault(step.place, step.key)
        if at_place != step.key:
            faults[f"{at_place} and {step.key} have the same place"] = None
        for fault in _unasked(step, render):
            faults[f"{step.key}: {fault}"] = None
        unseen.update(dict.fromkeys(_unseen(_shown(rules, state))))
        return example_reply(step)

    made = rehearse(rules, config, reply)
    unseen.update(dict.fromkeys(_unseen(_shown(rules, made.state))))
    count = f"{len(keys)} steps, each with its place and its prompts"
    yield _finding("every step can be asked for", faults, count)
    yield _finding("it can be looked at", unseen, "before it begins, after each step, at its end")


Look = Callable[[], object]
TEXTS, NOTICES, CERTIFICATE = tuple[str, ...], tuple[e.NoticePosted, ...], Certificate | None
ready(TEXTS, NOTICES, CERTIFICATE)


def _before(rules: Format, config: Config) -> Mapping[str, tuple[Look, Any]]:
    """What is asked before there is a debate, each with the type that it must have."""
    return {
        "opening": (lambda: rules.opening(config), NOTICES),
        "cautions": (lambda: rules.cautions(config), TEXTS),
    }


def _shown(rules: Format, state: DebateState) -> Mapping[str, tuple[Look, Any]]:
    """What is asked whenever somebody looks at a debate."""
    return {
        "upcoming": (lambda: upcoming(rules, state), TEXTS),
        "refusal": (lambda: allowed(rules, state), TEXTS),
        "certificate": (lambda: rules.certificate(state), CERTIFICATE),
        "view": (lambda: rules.view(state), Any),
        "can_be_heard": (lambda: rules.can_be_heard(state), bool),
    }


def _unseen(looks: Mapping[str, tuple[Look, Any]]) -> Iterator[str]:
    for name, (look, kind) in looks.items():
        try:
            msgspec.convert(msgspec.to_builtins(look()), kind)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - it is anybody's code that is tried
            yield f"{name}: {mistake(error)}"


def _unasked(step: Step, render: Render) -> Iterator[str]:
    for prompt in (step.system, step.prompt, step.for_people):
        try:
            text = render(prompt) if prompt is not None else "-"
            if not text.strip() and prompt is step.prompt:
                yield f"the prompt {prompt.template} is empty"
        except Exception as error:  # noqa: BLE001 - it is anybody's code that is tried
            yield mistake(error)


def _limits(rules: Format, config: Config) -> Iterator[Finding]:
    """What happens if a limit is reached after no step, after one, and so on."""
    every = (
        rehearse(rules, config, _reply, lambda steps: steps[:1], limit_after=number)
        for number in range(TRIED_LIMITS + 1)
    )
    tried = [made for made in every if made.state.limits]
    most = max(len(made.late) for made in tried)
    detail = f"at most {most} steps after a limit, all of them owed"
    faults = [fault for made in tried for fault in _overspent(rules, made)]
    yield _finding("limits are obeyed", dict.fromkeys(faults), detail)


def _overspent(rules: Format, made: Rehearsal) -> Iterator[str]:
    """Steps that begin after a limit and cannot be owed: any that does not close the debate, if
    nobody had been heard before, and any in a round after the next."""
    at = next(n for n, one in enumerate(made.log) if isinstance(one.event, e.LimitReached))
    entered = [one.event for one in made.log[:at] if isinstance(one.event, e.StageEntered)]
    round_ = entered[-1].round if entered else 0
    closing = {stage.name for stage in rules.stages if stage.closes}
    is_first = not any(isinstance(one.event, e.TurnRecorded) for one in made.log[:at])
    for step in made.late:
        if (is_first and step.stage not in closing) or step.round > round_ + 1:
            yield f"{step.key} begins after a limit, and nobody is owed it"
    if made.state.status is not Status.COMPLETED:
        yield f"it is {made.state.status} after a limit"


def _privacy(rules: Format, config: Config) -> Finding:
    """Every private reply has a word of its own, which no other participant may ever be sent."""
    private: dict[str, Step] = {}
    faults: dict[str, None] = {}

    def reply(step: Step, state: DebateState) -> str:
        sent = " ".join(_sent(step, state))
        for word, source in private.items():
            if source.participant != step.participant and word in sent:
                faults[f"{source.key} is private and reaches {step.key}"] = None
        word = f"canary{len(state.turns)}x"
        if step.visibility is Visibility.PRIVATE:
            private[word] = step
        return example_reply(step, word)

    rehearse(rules, config, reply)
    count = len(private)
    detail = f"{count} private texts, none in another's prompt" if count else "there is none"
    return _finding("private text stays private", faults, detail)


def _sent(step: Step, state: DebateState) -> Iterator[str]:
    yield from _texts(step.system)
    yield from _texts(step.prompt)
    yield from _texts(step.for_people or "")
    yield from (message.content for message in history(state, step))


def _texts(prompt: Prompt | str) -> Iterator[str]:
    if isinstance(prompt, str):
        yield prompt
    else:
        for slot in prompt.slots.values():
            yield from _texts(slot)
