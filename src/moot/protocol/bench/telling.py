"""The certificate of a bench with all that a reader should know beside it.

Only facts: who judged, of which family, how long each side spoke, and what the debate itself ended
with. Nothing here changes what the ballots came to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from moot.protocol.bench.asking import STAGE, Bench, all_slots, found, key_of, why_not
from moot.protocol.bench.spoken import word_counts
from moot.protocol.hearing.case import Case, Side
from moot.protocol.hearing.certificate import TIE, CertificateStatus, Finding, JudgeVotes
from moot.protocol.hearing.families import are_kin, family_of, is_same_model
from moot.protocol.hearing.plan import Order
from moot.protocol.outcomes import (
    Certificate,
    HeardJudge,
    HeardSide,
    Outcome,
    Solution,
    Verdict,
)
from moot.protocol.parsing import same_name
from moot.protocol.recovering import missing
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import ECHOED, HUMAN


def certificate(state: DebateState, bench: Bench, verdict: str | None) -> Certificate:
    """What the ballots came to; `verdict` is whom the debate's own outcome names."""
    finding, case = found(state, bench), bench.case
    is_open = finding.status is CertificateStatus.OPEN
    names = {one.id: one.name for one in case.sides}
    return Certificate(
        status=finding.status,
        winner=names.get(finding.winner or ""),
        winner_id=finding.winner,
        votes=finding.votes,
        ballots=finding.ballots,
        needed=finding.needed,
        by_chance=finding.by_chance,
        ties=finding.ties,
        unreadable=finding.unreadable,
        counts=finding.counts,
        looks=finding.look,
        is_both_orders=len(bench.plan.orders) == len(Order),
        is_finished=not is_open,
        are_proposals=case.are_proposals,
        sides=heard_sides(case),
        judges=_judges(bench, finding, echoes(state, bench)),
        verdict=verdict,
        repeated=finding.copies,
        left_out=tuple(dict.fromkeys(missing(state, is_ballot))),
        not_counted=not_counted(state, bench),
        pair=case.pair,
    )


def is_ballot(key: str) -> bool:
    """Whether the step with that key is a ballot of the bench."""
    return key.startswith(f"{STAGE}/")


def named_by(outcome: Outcome | None, case: Case) -> str | None:
    """Whom a debate's own outcome names: the id of a side, TIE, or None."""
    match outcome:
        case Verdict(is_tie=True):
            return TIE
        case Verdict(winner_id=winner):
            return winner if any(one.id == winner for one in case.sides) else None
        case Solution(decision=decision):
            name = str(decision.get("winner") or "")
            return next((one.id for one in case.sides if name and same_name(name, one.name)), None)
        case _:
            return None


def closed(told: Certificate) -> Certificate:
    """The certificate once nothing more will be asked: if still open, it becomes insufficient."""
    if told.status is not CertificateStatus.OPEN:
        return told
    return msgspec.structs.replace(told, status=CertificateStatus.INSUFFICIENT)


def heard_sides(case: Case) -> tuple[HeardSide, ...]:
    counts = word_counts(case)
    first, last = case.said[0].side, case.said[-1].side
    is_spoken = not case.are_proposals
    return tuple(
        HeardSide(
            id=one.id,
            name=one.name,
            words=counts[one.id],
            opened=is_spoken and one.id == first,
            had_last_word=is_spoken and one.id == last,
        )
        for one in case.sides
    )


def _judges(bench: Bench, finding: Finding, echoed: Mapping[str, int]) -> tuple[HeardJudge, ...]:
    votes = {one.judge: one for one in finding.judges}
    return tuple(
        _judge(one, votes[one.id], bench.case, echoed.get(one.id, 0)) for one in bench.judges
    )


def _judge(judge: Participant, votes: JudgeVotes, case: Case, echoed: int) -> HeardJudge:
    return HeardJudge(
        id=judge.id,
        name=judge.name,
        model=judge.model,
        family=None if judge.is_human else family_of(judge.model),
        one=votes.one,
        two=votes.two,
        unreadable=votes.unreadable,
        echoes=echoed,
        is_for=votes.is_for,
        kin=tuple(one.id for one in case.sides if is_kin(judge, one)),
        is_own=any(is_own(judge, one) for one in case.sides),
        judged=not judge.is_human
        and any(is_same_model(judge.model, one) for one in case.judged_by),
        people=tuple(one.id for one in case.sides if may_be_own(judge, one)),
    )


def is_kin(judge: Participant, side: Side) -> bool:
    """Whether a model of the judge's family spoke for that side."""
    return not judge.is_human and any(are_kin(judge.model, one) for one in side.models)


def is_own(judge: Participant, side: Side) -> bool:
    """Whether the judge's own model spoke for that side."""
    return not judge.is_human and any(is_same_model(judge.model, one) for one in side.models)


def may_be_own(judge: Participant, side: Side) -> bool:
    """Whether the judge is a person and a person spoke for that side: they may be the same one."""
    return judge.is_human and HUMAN in side.models


def echoes(state: DebateState, bench: Bench) -> Counter[str]:
    """How many ballots of each judge repeat the words of the prompt."""
    turns = ((slot.judge, state.turn(key_of(slot))) for slot in all_slots(bench.plan))
    return Counter(judge for judge, turn in turns if turn and ECHOED in turn.said.flags)


def not_counted(state: DebateState, bench: Bench) -> tuple[str, ...]:
    """Whose ballots came and count for nobody, and why: `one: it names no side (2 ballots)`."""
    names = {one.id: one.name for one in bench.judges}
    turns = ((slot.judge, state.turn(key_of(slot))) for slot in all_slots(bench.plan))
    found = Counter((names[judge], why) for judge, turn in turns if turn and (why := why_not(turn)))
    return tuple(
        f"{name}: {why}{f' ({count} ballots)' if count > 1 else ''}"
        for (name, why), count in found.items()
    )
