"""A question for a panel becomes a request for a debate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot.definitions.panels import on
from moot.definitions.schema import TOPIC_MAX
from moot.definitions.values import Panel
from moot.engine.attaching import MAX_FILE_BYTES, File
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput, Refused
from moot.export import render
from moot.models.cleaning import clean_text
from moot.protocol.events import Recorded
from moot.protocol.extracts import cut
from moot.protocol.log import fold
from moot.protocol.registry import format_named
from moot.protocol.values import Origin
from moot.protocol.visibility import Veil
from moot.protocol.words import Role
from moot.staging.making import stage
from moot.staging.request import DebateRequest, ModelChoice, Sources, Wish

QUESTION = "question"
"""The field for what is asked, whichever door it came by."""
QUESTION_FILE, EARLIER_FILE = "question.md", "earlier.md"
"""What participants read beside the topic: the whole question if it is too long for a topic, and
what the panel was asked before, with its answer."""
_SHORTENED = " (all of the question is in the file question.md)"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody asks a panel."""

    panel: Panel
    text: str
    settings: Mapping[str, Any] = {}
    """In place of the panel's own."""
    models: ModelChoice = ModelChoice()
    files: tuple[File, ...] = ()
    """Texts that were sent with it."""
    wishes: tuple[Wish, ...] = ()
    attach: tuple[str, ...] = ()
    context_directory: str = ""
    """Paths of files to be read, below the directory that may be read."""
    follows: str = ""
    """The debate that it follows up; that one's question and answer must be among `files`."""
    seed: int | None = None
    origin: Origin | None = None


def request_of(question: Question) -> DebateRequest:
    """The debate in which the panel answers. A panel that is saved nowhere is not named in it.

    Raises InvalidInput for a question that is blank once it is cleaned, or too long for a file.
    """
    topic, whole = _topic(_cleaned(question.text))
    panel = question.panel
    saved = Origin(door="", panel=panel.name) if panel.is_saved else None
    return DebateRequest(
        topic=topic,
        file=on(panel, topic),
        team=panel.team,
        settings=question.settings,
        models=question.models,
        files=(*whole, *question.files),
        wishes=question.wishes,
        attach=question.attach,
        context_directory=question.context_directory,
        follows=question.follows,
        seed=question.seed,
        origin=question.origin or saved,
    )


def stage_question(question: Question, sources: Sources) -> NewDebate:
    """The debate in which the panel answers, staged. Blocks: reads files.

    Raises what `stage` raises; mistakes in the topic are reported as mistakes in the question.
    """
    try:
        return stage(request_of(question), sources)
    except InvalidInput as error:
        raise _of_question(error) from None


def _cleaned(text: str) -> str:
    """The question, cleaned: what somebody has pasted is foreign text, like what models say."""
    cleaned = clean_text(text, max_chars=len(text)).strip()
    if not cleaned:
        raise InvalidInput("must not be blank", field=QUESTION)
    if len(cleaned.encode()) > MAX_FILE_BYTES:
        message = f"is larger than {MAX_FILE_BYTES:,} bytes"
        raise InvalidInput(message, field=QUESTION)
    return cleaned


def _of_question(error: InvalidInput) -> InvalidInput:
    """The error, told of the question if it was the topic's: the panel's file is not to blame."""
    others = tuple(map(_of_question, error.others))
    if error.field == "topic":
        return InvalidInput(error.message, field=QUESTION, others=others)
    return InvalidInput(
        error.message, field=error.field, source=error.source, line=error.line, others=others
    )


def _topic(text: str) -> tuple[str, tuple[File, ...]]:
    """The topic, and the file with the whole question if that is too long for one."""
    if len(text) <= TOPIC_MAX:
        return text, ()
    return cut(text, TOPIC_MAX - len(_SHORTENED)) + _SHORTENED, (File(QUESTION_FILE, text),)


def earlier(log: Sequence[Recorded], sources: Sequence[Veil], debate_id: str) -> File:
    """What was asked and answered in an earlier debate, for one that follows it.

    Raises Refused while it has no answer that may be shown.
    """
    state = fold(log)
    if not state.status.is_terminal:
        message = (
            f"debate {debate_id} has no answer to go on from yet ({state.status}); "
            "ask again when it is over"
        )
        raise Refused(message)
    try:
        answer = render(log, "answer", sources, debate_id=debate_id)
    except Refused:
        message = f"debate {debate_id} has no answer to go on from, so nothing can follow it"
        raise Refused(message) from None
    question = state.config.topic
    return File(
        EARLIER_FILE, f"The question before this one:\n\n{question}\n\nThe answer:\n\n{answer}"
    )


def check(new: NewDebate) -> None:
    """Raises InvalidInput for a debate that could not end with an answer."""
    rules = format_named(new.format)
    if rules.is_open_ended:
        message = f"a {new.format} has no end, so it cannot answer; ask a council, or open the room"
        raise InvalidInput(message, field="panel")
    answering = (one.role.is_judging and one.role is not Role.BENCH for one in new.participants)
    if not rules.answers_itself and not any(answering):
        message = "nobody would give the answer: it needs a judge or a moderator"
        raise InvalidInput(message, field="panel")
