"""Clarifications: what members want to know from the user, and what they were told.

A question is known by its member and its number within one round of questions. Questions that ask
the same are one question to the user: the first of them is asked, and its answer goes to all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from moot.protocol.answers import Answer, Schema, Unreadable
from moot.protocol.formats.council.answers import texts
from moot.protocol.formats.council.order import ASK, CLARIFICATION_INPUT, settings_of
from moot.protocol.formats.council.seats import active, members
from moot.protocol.parsing import read_object, words
from moot.protocol.recovering import is_settled
from moot.protocol.state import DebateState

LONGEST_REPLY = 1_000_000
"""Characters of the longest reply that is read: ten thousand questions are cut, not refused."""
LONGEST_QUESTION = 1000
IN_ADVANCE = ""
"""In place of a member, where the user told something before anybody asked."""


class Clarification(msgspec.Struct, frozen=True, kw_only=True):
    """`answer` is None while the question is open, and empty if it got none. `same_as` is the key
    of the question that is put to the user in its place, because it asks the same."""

    iteration: int
    member: str
    number: int
    question: str
    answer: str | None
    same_as: str = ""

    @property
    def key(self) -> str:
        return f"{CLARIFICATION_INPUT}/{self.iteration}/{self.member}/{self.number}/answer"


def told_in_advance(state: DebateState) -> tuple[Clarification, ...]:
    """What the user has told with the topic: `How many homes? Four hundred.`, or a bare fact."""
    return tuple(
        Clarification(
            iteration=0,
            member=IN_ADVANCE,
            number=number,
            question=_question(text),
            answer=text.removeprefix(_question(text)).strip(),
        )
        for number, text in enumerate(settings_of(state).answers, 1)
    )


def _question(text: str) -> str:
    """The question that a text begins with, if an answer follows it."""
    head, mark, rest = text.partition("?")
    return head + mark if mark and rest.strip() and "\n" not in head else ""


def asked_in(state: DebateState, iteration: int) -> Iterator[Clarification]:
    """The questions of one round of questions, member by member."""
    first: list[Clarification] = []
    for one in _written(state, iteration):
        same = next((each for each in first if asks_same(each.question, one.question)), None)
        # A question that was put to the user by itself stays so: logs of 0.1 have such questions.
        own = state.turn(one.key)
        is_apart = own is not None or one.key in state.questions
        if same is not None and not is_apart:
            answered = state.turn(same.key)
            answer = answered.said.content if answered else None
            yield msgspec.structs.replace(one, answer=answer, same_as=same.key)
        else:
            first.append(one)
            yield msgspec.structs.replace(one, answer=own.said.content if own else None)


def _written(state: DebateState, iteration: int) -> Iterator[Clarification]:
    for member in members(state):
        turn = state.turn(ASK.key(iteration, member.id))
        questions = (turn.said.data or {}).get("questions", ()) if turn else ()
        for number, question in enumerate(questions, 1):
            yield Clarification(
                iteration=iteration,
                member=member.id,
                number=number,
                question=question,
                answer=None,
            )


def clarifications(state: DebateState) -> tuple[Clarification, ...]:
    """All questions so far, in order."""
    most = settings_of(state).clarifications_max_iterations
    return tuple(one for n in range(1, most + 1) for one in asked_in(state, n))


def also_asked_by(state: DebateState, question: Clarification) -> tuple[str, ...]:
    """The other members that want to know the same, by id."""
    alike = (one for one in asked_in(state, question.iteration) if one.same_as == question.key)
    return tuple(dict.fromkeys(one.member for one in alike if one.member != question.member))


def known_questions(state: DebateState) -> tuple[str, ...]:
    """What need not be asked any more: asked before, or told in advance."""
    everything = (*told_in_advance(state), *clarifications(state))
    return tuple(one.question for one in everything if one.question)


def may_ask(state: DebateState) -> bool:
    """Whether this round of questions is held at all."""
    return state.round <= ASK.times(settings_of(state))


def has_asked(state: DebateState) -> bool:
    """Whether every member has said what it wants to know in this round of questions."""
    return all(is_settled(state, ASK.key(state.round, one.id)) for one in active(state))


# --- what members are asked for -------------------------------------------------------------------


class QuestionsAnswer(Answer, frozen=True, kw_only=True):
    """At most `most` questions, none of which asks what is `known`; an unreadable reply
    asks none."""

    most: int
    known: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        questions = {"type": "array", "items": {"type": "string"}, "maxItems": self.most}
        body = {
            "type": "object",
            "properties": {"questions": questions},
            "required": ["questions"],
            "additionalProperties": False,
        }
        return Schema("questions", body)

    @property
    def form(self) -> dict[str, Any]:
        field = {"name": "questions", "label": "Questions", "kind": "list", "required": False}
        return {"fields": [field]}

    def read(self, text: str) -> dict[str, Any] | Unreadable:
        found = read_object(text, LONGEST_REPLY)
        if isinstance(found, Unreadable):
            return found
        questions = texts("questions", found.get("questions"))
        if isinstance(questions, Unreadable):
            return questions
        new: list[str] = []
        for question in questions:
            if len(new) < self.most and not _is_among(question, (*self.known, *new)):
                new.append(question[:LONGEST_QUESTION])
        return {"questions": new}

    def fallback(self, reason: str) -> dict[str, Any]:
        return {"questions": [], "reason": reason}

    def shown(self, text: str, data: dict[str, Any] | None) -> str:
        if data is None or "reason" in data:
            return text
        return "\n".join(f"- {one}" for one in data["questions"]) or "No questions."


def _is_among(question: str, known: Iterable[str]) -> bool:
    return any(asks_same(question, one) for one in known)


# --- whether two questions ask the same -----------------------------------------------------------
# By their words alone. Asking twice costs the user a moment; merging two different questions loses
# an answer. So questions are kept apart if each has words that the other lacks, but not if one
# merely adds a few words to the other.

SAME = 0.75
LONGEST = 1000
FILLERS = frozenset(
    """
    a an the is are was were be been will would can could should may might must do does
    did have has had there here it its this that these those of for to in on at by with
    and or as from we us our ours you your yours i me my they their them any some please
    tell know need what which currently roughly approximately about exactly s
    """.split()  # noqa: SIM905  a list of eighty words reads worse
)
"""Words that most questions can do without. Who, where, when, why and how many are not among them:
they tell questions apart."""
PLURAL_FROM = 4
"""The fewest letters a word must have for its final s to be taken for a plural."""


def asks_same(one: str, other: str) -> bool:
    """Whether the words that matter are the same, or those of one are nearly all of the other's."""
    a, b = _content(one), _content(other)
    if not a or not b:
        return words(one[:LONGEST]) == words(other[:LONGEST])
    shared = len(a & b)
    return shared == min(len(a), len(b)) and 2 * shared / (len(a) + len(b)) >= SAME


def _content(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in words(text[:LONGEST]) if word not in FILLERS)


def _stem(word: str) -> str:
    is_plural = len(word) >= PLURAL_FROM and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word
