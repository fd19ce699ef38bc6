"""The format `poll`: its stages and transitions, and what came of it.

A tie is a tie, and what could not be read counts for nothing. The description of a solution is the
short answer or, with prose, the prose. The reasons are those of whoever gave that answer, and the
other answers are the dissent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from moot.protocol.answer_words import plural
from moot.protocol.events import NoticePosted
from moot.protocol.extracts import cut
from moot.protocol.formats.poll import counting
from moot.protocol.formats.poll.counting import (
    Given,
    Group,
    all_asked,
    answers,
    every_answer,
    grouped,
    unreadable,
)
from moot.protocol.formats.poll.order import (
    ANSWERS,
    DECISION,
    DEFAULT_ROSTER,
    PollSettings,
    cast_poll,
    cautions,
    judge,
    judge_key,
    longest_chain,
    members,
    most_calls,
    settings_of,
)
from moot.protocol.formats.poll.steps import (
    ALL_ANSWERED,
    DECIDED,
    answered,
    answering,
    decided,
    deciding,
    is_to_decide,
    judge_names,
    lacks_answers,
)
from moot.protocol.labelling import named
from moot.protocol.machine import (
    END,
    START,
    Format,
    Stage,
    Transition,
    walk,
)
from moot.protocol.outcomes import Count, OutcomeStatus, Solution
from moot.protocol.recovering import (
    BROUGHT_BACK,
    LEFT_OUT,
    Recovery,
    left_out,
    missing,
    recovered,
    recoveries,
    returned,
)
from moot.protocol.settings import Settings, narrowed
from moot.protocol.state import DebateState, Turn
from moot.protocol.steps import Next, Step
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import KINDS, FormatWord
from moot.protocol.words import ECHOED, StepKind

MOST_REASONS = 10
LONGEST_REASON = 1000
"""How many reasons the outcome repeats, and how much of each; the transcript has them all."""
Fields = dict[str, Any]


def outcome(state: DebateState) -> Solution | None:
    """None if nobody was heard."""
    if not any(one.key in state.turns for one in all_asked(state)):
        return None
    settings = settings_of(state)
    given = answers(state)
    decide = DECISIONS[settings.decision] if given else _unanswered
    counts = () if settings.is_prose else tuple(_count(one) for one in _groups(state, given))
    facts = {
        "asked": len(all_asked(state)),
        "answers": len(given),
        "unreadable": len(unreadable(state)),
        "counts": counts,
        "left_out": tuple(_left_out(state)),
    }
    decided = decide(state, given)
    if settings.samples > 1:
        decided["decision"]["is_sampled"] = True
    return Solution(**{**facts, **decided})


def _groups(state: DebateState, given: Iterable[Given]) -> tuple[Group, ...]:
    return grouped(given, are_numbers=settings_of(state).answer_type == "number")


def _count(group: Group) -> Count:
    return Count(answer=group.answer, count=len(group.given), by=group.names)


# --- how it is decided ----------------------------------------------------------------------------


def _unanswered(state: DebateState, _given: tuple[Given, ...]) -> Fields:
    decision = {"rule": settings_of(state).decision}
    if unreadable(state):
        status, reason = OutcomeStatus.UNREADABLE, "no answer could be read"
    else:
        status, reason = OutcomeStatus.PASSED, "nobody answered"
    return {"status": status, "reason": reason, "decision": decision}


def _first(state: DebateState, given: tuple[Given, ...]) -> Fields:
    """The first answer of the first member that has one."""
    seats = [one.id for one in members(state.config)]
    first = min(given, key=lambda one: seats.index(one.by))
    decision = {"rule": "first", "winner": first.name, "winner_id": first.by}
    group = next(one for one in _groups(state, given) if first in one.given)
    chosen = Group(answer=group.answer, given=(first,))
    return {**_chosen(state, chosen, given), "decision": decision}


def _majority(state: DebateState, given: tuple[Given, ...]) -> Fields:
    """The answer that was given most; two that were given equally often are a tie."""
    groups = _groups(state, given)
    most = len(groups[0].given)
    ahead = [one for one in groups if len(one.given) == most]
    decision: Fields = {"rule": "majority", "is_majority": 2 * most > len(all_asked(state))}
    if len(ahead) > 1:
        return {**_tied(state, given), "decision": {**decision, "tied": [o.answer for o in ahead]}}
    return {**_chosen(state, ahead[0], given), "decision": decision}


def _vote(state: DebateState, given: tuple[Given, ...]) -> Fields:
    """What the ballots came to; if all gave the same answer, there was nothing to vote on."""
    if not counting.is_voted(state):
        chosen = _chosen(state, _groups(state, given)[0], given)
        rule = {"rule": settings_of(state).decision, "is_majority": True, "is_unanimous": True}
        return {**chosen, "decision": rule}
    vote = counting.counted(state)
    ahead = vote.tally.leaders
    decision: Fields = {
        "rule": settings_of(state).decision,
        "winner": ahead[0] if len(ahead) == 1 else None,
        "tied": list(ahead) if len(ahead) > 1 else [],
        "points": vote.tally.points,
        "is_majority": vote.tally.is_majority,
        "ballots": vote.ballots,
    }
    if len(ahead) == 1:
        return {**_chosen(state, vote.candidates[ahead[0]].group, given), "decision": decision}
    if ahead:
        texts = (f"{name}: {vote.candidates[name].group.answer}" for name in ahead)
        told = {"dissent": _few(texts)} if settings_of(state).is_prose else {}
        return {**_tied(state, given), **told, "decision": decision}
    unread = {"status": OutcomeStatus.UNREADABLE, "reason": "no ballot could be counted"}
    return {**unread, "decision": decision}


def _judged(state: DebateState, given: tuple[Given, ...]) -> Fields:
    """The judge's answer, and nothing in its place if there is none."""
    chair = judge(state.config)
    turn = state.turn(judge_key(chair)) if chair else None
    decision: Fields = {"rule": "judge", "winner": None}
    if chair is None or turn is None:
        return {"status": OutcomeStatus.MISSING, "decision": decision}
    decision = {"rule": "judge", "judge": chair.name, "judge_id": chair.id}
    if turn.is_silent:
        return {"status": OutcomeStatus.PASSED, "decision": decision}
    if settings_of(state).is_prose:
        is_echo = ECHOED in turn.said.flags
        status = OutcomeStatus.UNREADABLE if is_echo else OutcomeStatus.DECIDED
        text = "" if is_echo else turn.said.content
        return {"status": status, "description": text, "decision": decision}
    data = turn.said.data or {}
    answer = data.get("answer")
    if answer is None:
        reason = str(data.get("reason") or "")
        unread = {"status": OutcomeStatus.UNREADABLE, "reason": reason}
        return {**unread, "decision": decision}
    own = Given(key=turn.said.step_key, by=chair.id, name=chair.name, answer=str(answer))
    # As it is counted among the others: 4.50 is 4.5 for the judge too.
    group = next(one for one in _groups(state, (*given, own)) if own in one.given)
    reasons = (named(str(data.get("reasons") or ""), judge_names(state)),)
    return {
        "status": OutcomeStatus.DECIDED,
        "answer": group.answer,
        "description": group.answer,
        "reasons": tuple(filter(None, reasons)),
        "dissent": _told(_others(state, given, group)),
        "decision": decision,
    }


DECISIONS: Mapping[str, Callable[[DebateState, tuple[Given, ...]], Fields]] = {
    "first": _first,
    "majority": _majority,
    "vote": _vote,
    "rank": _vote,
    "judge": _judged,
}


def _chosen(state: DebateState, group: Group, given: tuple[Given, ...]) -> Fields:
    """The fields of a solution that has this answer."""
    fields = {"status": OutcomeStatus.DECIDED, "description": group.answer}
    if settings_of(state).is_prose:
        return fields
    reasons = _reasons(one for one in group.given if one in given)
    dissent = _told(_others(state, given, group))
    return {**fields, "answer": group.answer, "reasons": reasons, "dissent": dissent}


def _others(state: DebateState, given: tuple[Given, ...], chosen: Group) -> Iterator[Group]:
    """All answers but the chosen one."""
    same = {one.key for one in chosen.given}
    for group in _groups(state, given):
        if not same & {one.key for one in group.given}:
            yield group


def _tied(state: DebateState, given: tuple[Given, ...]) -> Fields:
    told = () if settings_of(state).is_prose else _told(_groups(state, given))
    return {"status": OutcomeStatus.TIED, "dissent": told}


def _reasons(given: Iterable[Given]) -> tuple[str, ...]:
    """Who gave the answer, and for which reasons."""
    told = (f"{one.name}: {one.reasons}" for one in _each_once(given) if one.reasons)
    return _few(told)


def _told(groups: Iterable[Group]) -> tuple[str, ...]:
    """Who said what else, and why."""
    told = (
        f"{one.name} says {group.answer.rstrip('.')}: {one.reasons}".removesuffix(": ")
        for group in groups
        for one in _each_once(group.given)
    )
    return _few(told)


def _each_once(given: Iterable[Given]) -> Iterable[Given]:
    """The first answer of each member."""
    first: dict[str, Given] = {}
    for one in given:
        first.setdefault(one.by, one)
    return first.values()


def _few(told: Iterable[str]) -> tuple[str, ...]:
    return tuple(cut(one, LONGEST_REASON) for one in islice(told, MOST_REASONS))


# --- what is missing ------------------------------------------------------------------------------


def _left_out(state: DebateState) -> Iterator[str]:
    yield from missing(state)
    yield from _counted(unreadable(state), "could not be read")
    turns = {one: state.turn(one.key) for one in all_asked(state)}
    yield from _counted((one for one, turn in turns.items() if turn and turn.is_silent), "passed")
    read = {one.key for one in every_answer(state)}
    out = [one for one, turn in turns.items() if turn and not turn.included and one.key in read]
    yield from _counted(out, "excluded")
    never = sum(turn is None and one.key not in left_out(state) for one, turn in turns.items())
    if never:
        yield f"{plural(never, 'answer')} never came"
    if counting.is_voted(state):
        yield from counting.uncounted(state)


def _counted(asked: Iterable[Any], what: str) -> Iterator[str]:
    """`Ada: 2 answers could not be read`."""
    for name, number in Counter(one.member.name for one in asked).items():
        if what == "passed":
            yield f"{name} passed"
        else:
            yield f"{name}: {plural(number, 'answer')} {what}"


# --- doing without --------------------------------------------------------------------------------


def retries(state: DebateState) -> int:
    return settings_of(state).step_retries


def without(state: DebateState, step: Step) -> NoticePosted | None:
    """An answer can be left out while another is there or may come; a ballot always can."""
    if step.kind is StepKind.SYNTHESIZE or (step.kind is StepKind.ANSWER and _is_last(state, step)):
        return None
    error = state.failures[step.key].error
    name = state.label_of(step.participant)
    text = f"{name}: no {KINDS[step.kind].noun} ({error})"
    return NoticePosted(code=LEFT_OUT, text=text, participant=step.participant, about=step.key)


def _is_last(state: DebateState, step: Step) -> bool:
    gone = left_out(state)
    open_ = (
        one.key for one in all_asked(state) if one.key not in state.turns and one.key not in gone
    )
    return not answers(state) and not any(key != step.key for key in open_)


# --- the stages and transitions, and the format ---------------------------------------------------

STAGES = (
    Stage(
        name=ANSWERS,
        about="All members answer at the same time, and nobody sees another's answer.",
        steps=answering,
        emits=answered,
    ),
    Stage(
        name=DECISION,
        about="Members vote on the answers, or a judge reads them, all without names.",
        steps=deciding,
        emits=decided,
        closes=True,
    ),
)


TRANSITIONS = (
    Transition(source=None, event=START, target=ANSWERS),
    Transition(source=ANSWERS, event=ALL_ANSWERED, target=DECISION, guard=is_to_decide),
    Transition(source=ANSWERS, event=ALL_ANSWERED, target=None),
    Transition(source=ANSWERS, event=END, target=DECISION, guard=is_to_decide),
    Transition(source=ANSWERS, event=END, target=None),
    Transition(source=DECISION, event=BROUGHT_BACK, target=ANSWERS, guard=lacks_answers),
    Transition(source=DECISION, event=DECIDED, target=None),
    *recoveries(ANSWERS, DECISION),
)

RECOVERY = Recovery(retries=retries, without=without)


class Poll(Format):
    name = "poll"
    about = "Members answer alone, one or several times; what they say is counted or judged."
    when_to_use = "When you want an answer at once, or to see how far models agree unprompted."
    words: FormatWord | None = FormatWord(
        name="A poll of models that answer alone",
        end="“4 of 5 say yes. One says: not before spring.”",
        asks="What do they say, each for itself?",
        roles=("member",),
        length="samples",
        unit="answer",
        short=1,
        long=5,
        nick="A poll",
    )
    settings: type[Settings] = PollSettings
    default_roster: tuple[Participant, ...] = DEFAULT_ROSTER
    stages: tuple[Stage, ...] = STAGES
    transitions: tuple[Transition, ...] = TRANSITIONS
    gives_verdict = False
    answers_itself = True
    unnamed = frozenset({StepKind.ANSWER, StepKind.VOTE, StepKind.SYNTHESIZE})

    def without_names(self, turn: Turn) -> str:
        """Empty for ballots and the judge's answer, which say whose answers they are about."""
        return turn.said.content if turn.said.kind is StepKind.ANSWER else ""

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """One to ten members, and a judge if one decides, who is added if nobody is named."""
        return cast_poll(narrowed(settings, PollSettings), participants or self.default_roster)

    def cautions(self, config: Config) -> tuple[str, ...]:
        return cautions(config)

    def most_calls(self, config: Config) -> int:
        return most_calls(config)

    def longest_chain(self, config: Config) -> int:
        return longest_chain(config)

    def next(self, state: DebateState, now: datetime) -> Next:
        del now
        return recovered(self, state, returned(self, state) or walk(self, state), RECOVERY)

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Nobody: all are asked at once, and nobody waits for anybody else."""
        del state, now
        return ()

    def outcome(self, state: DebateState) -> Solution | None:
        return outcome(state)
