"""The words for answers that were given alone and counted: part of the vocabulary.

Every function takes a solution whose `asked` is not 0. No text claims more than was counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from moot.protocol.extracts import cut
from moot.protocol.outcomes import Count, OutcomeStatus, Solution

TITLE = "Answer"
NO_ANSWER = "No answer"
MOST_TOLD = 3
LONGEST = 60
"""The most characters of one answer in a line that says more than that answer."""

WHY_NONE: Mapping[OutcomeStatus, str] = {
    OutcomeStatus.UNREADABLE: "none could be read",
    OutcomeStatus.PASSED: "nobody gave one",
    OutcomeStatus.MISSING: "it ended before one was decided on",
}
"""Completes "No answer: …"."""
OF_JUDGE: Mapping[OutcomeStatus, str] = {
    OutcomeStatus.UNREADABLE: "the judge's answer could not be read",
    OutcomeStatus.PASSED: "the judge passed",
    OutcomeStatus.MISSING: "it ended before the judge had answered",
}
"""The same, where there are answers and a judge was to decide among them."""
OF_TIE = "The answers"
"""What the texts of a tie are called, since none of them was chosen."""
TIED = "Nothing breaks the tie, so no answer was chosen."
NO_BALLOT = "no ballot could be counted"


def plural(number: int, noun: str) -> str:
    """`1 answer`, `3 answers`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def headline(solution: Solution) -> str:
    """`3 of 5 say yes`, `A tie: 2 say yes, 2 say no`, `One answer`."""
    match solution.status:
        case OutcomeStatus.DECIDED:
            return _decided(solution)
        case OutcomeStatus.TIED:
            return _tie(solution)
        case _:
            return f"{NO_ANSWER}: {why_none(solution)}"


def why_none(solution: Solution) -> str:
    """Completes "No answer: …"."""
    rule = solution.decision.get("rule")
    if solution.answers and rule == "judge":
        return OF_JUDGE.get(solution.status, "")
    if solution.answers and solution.status is OutcomeStatus.UNREADABLE:
        return NO_BALLOT
    return WHY_NONE.get(solution.status, "")


def _decided(solution: Solution) -> str:
    rule, answer = solution.decision.get("rule"), cut(solution.answer, LONGEST)
    if rule == "judge":
        return f"The judge says {answer}" if answer else f"Written from {_number(solution)}"
    if solution.asked == 1:
        return f"One answer: {answer}" if answer else "One answer"
    if rule == "first":
        return f"The first of {_number(solution)}" + (f": {answer}" if answer else "")
    if rule == "majority" or solution.decision.get("is_unanimous"):
        return _majority(solution, answer)
    return f"{answer or _author(solution)} {_how(solution)}"


def _majority(solution: Solution, answer: str) -> str:
    """How many gave the answer; also used where all say the same, so that there is no vote."""
    if not solution.counts:  # prose, of which there is one text only
        one = "The only answer" if solution.answers == 1 else f"All {solution.answers} say the same"
        return f"{one}: {answer}" if answer else one
    count = solution.counts[0].count
    # Members who were asked several times are fewer than their answers.
    noun = " answers" if solution.decision.get("is_sampled") else ""
    if count == solution.asked:
        return f"All {count}{noun} say {answer}"
    return f"{count} of {solution.asked}{noun} {'says' if count == 1 else 'say'} {answer}"


def _how(solution: Solution) -> str:
    """`won, with 2 of 3 votes`."""
    if solution.decision.get("rule") == "rank":
        return "was ranked first"
    points: Mapping[str, int] = solution.decision.get("points") or {}
    votes = points.get(str(solution.decision.get("winner")), 0)
    return (
        f"won, with {votes} of {plural(sum(points.values()), 'vote')}" if votes else "won the vote"
    )


def _author(solution: Solution) -> str:
    """Whose text it is, where there is no short answer."""
    return f"{solution.decision.get('winner')}'s answer"


def _number(solution: Solution) -> str:
    return plural(solution.answers, "answer")


def _tie(solution: Solution) -> str:
    tied: Sequence[str] = solution.decision.get("tied") or ()
    if solution.decision.get("rule") != "majority":
        return f"A tie between {_listed([cut(one, LONGEST) for one in tied], 'and')}"
    most = max((one.count for one in solution.counts), default=0)
    if most == 1:
        if solution.answers == 2:  # noqa: PLR2004 - of two, nobody says "all"
            return "The two answers differ"
        return f"No two agree: {_number(solution)}, all different"
    ahead = [one for one in solution.counts if one.count == most]
    return f"A tie: {_listed([_says(one) for one in ahead])}"


def _says(one: Count) -> str:
    return f"{one.count} {'says' if one.count == 1 else 'say'} {cut(one.answer, LONGEST)}"


def _listed(texts: Sequence[str], last: str = "") -> str:
    """The first few of them, and whether there are more."""
    if len(texts) > MOST_TOLD:
        return f"{', '.join(texts[:MOST_TOLD])} and more"
    head, tail = texts[:-1], texts[-1:]
    return f" {last} ".join([", ".join(head), *tail]) if last and head else ", ".join(texts)


def counted(solution: Solution) -> tuple[str, ...]:
    """A line for each answer that was voted on, `tea: 2 votes (Ada, Bo)`, or, without a vote, for
    each short answer, `yes: 3 (Ada, Bo, Cy)`. No lines if all say the same."""
    if solution.decision.get("points"):
        return tuple(_votes(solution))
    if len(solution.counts) <= 1:
        return ()
    return tuple(f"{one.answer}: {one.count}{_by(one.by)}" for one in solution.counts)


def _votes(solution: Solution) -> Iterator[str]:
    """What each answer got, the most first, and who voted for it; a ranking gives points to all."""
    points: Mapping[str, int] = solution.decision["points"]
    ballots: Mapping[str, Sequence[str]] = solution.decision.get("ballots") or {}
    unit = "point" if solution.decision.get("rule") == "rank" else "vote"
    for name, got in sorted(points.items(), key=lambda one: -one[1]):
        by = tuple(who for who, ballot in ballots.items() if list(ballot) == [name])
        shown = cut(name, LONGEST) if solution.counts else f"{name}'s answer"
        yield f"{shown}: {plural(got, unit)}{_by(by)}"


def _by(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def doubts(solution: Solution) -> Iterator[str]:
    """What a reader must know of the result, besides who and what was left out."""
    rule = solution.decision.get("rule")
    is_decided = solution.status is OutcomeStatus.DECIDED
    if solution.status is OutcomeStatus.TIED:
        yield TIED
    elif not is_decided:
        yield "Nothing was made up in its place."
    few = rule == "majority" and not solution.decision.get("is_majority", True)
    if is_decided and few:
        yield "It is the most frequent answer, but not more than half gave it."


def trust(solution: Solution) -> Iterator[str]:
    """The keys of the vocabulary's TRUST that hold of the solution."""
    if solution.status is OutcomeStatus.TIED:
        yield "tie"
    elif solution.status is not OutcomeStatus.DECIDED:
        yield solution.status.value
    if solution.left_out:
        yield "left_out"
