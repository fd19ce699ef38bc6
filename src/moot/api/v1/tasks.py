"""Small requests of chat clients, answered by one call to a model of the panel, without a debate.

Only models of the panel that was asked are ever called, and only for short answers.
"""

from __future__ import annotations

import asyncio
import re
from typing import NamedTuple

from moot.api.parts import ApiParts
from moot.api.v1.conversation import Said
from moot.api.v1.replies import Reply
from moot.api.v1.wanted import Wanted
from moot.definitions.values import Panel
from moot.models.port import ChatRequest
from moot.protocol.values import Message, Sampling
from moot.protocol.words import Effort, Finish
from moot.staging.panels import Question, stage_question

SHORT_TOKENS, SHORT_CHARACTERS = 64, 4000
"""A request so short, for an answer so short, that nobody can want a debate of it."""
MOST_TOKENS = 1000
DEADLINE_S = 60.0
SHORT = "short"
_PLACE = "What shall we do?"
_ROLES = {"developer": "system", "function": "user", "tool": "user"}


# --- what is a task ------------------------------------------------------------------------------


class Row(NamedTuple):
    """A kind of task. `begins` is how the message begins, and all of `has` is in it, too."""

    task: str
    client: str
    begins: re.Pattern[str]
    has: tuple[str, ...] = ()


def _begins(pattern: str) -> re.Pattern[str]:
    return re.compile(r"\s*" + pattern, re.IGNORECASE)


_TASK = r"### Task:\s*"
_HISTORY = ("### ", "<chat_history>")

TABLE: tuple[Row, ...] = (
    Row("title", "Open WebUI", _begins(_TASK + r"Generate a concise, 3-5 word title"), _HISTORY),
    Row("tags", "Open WebUI", _begins(_TASK + r"Generate 1-3 broad tags categorizing"), _HISTORY),
    Row(
        "follow_ups",
        "Open WebUI",
        _begins(_TASK + r"Suggest 3-5 relevant follow-up questions"),
        _HISTORY,
    ),
    Row(
        "queries",
        "Open WebUI",
        _begins(
            _TASK + r"Analyze the chat history to determine the necessity of generating search"
        ),
        _HISTORY,
    ),
    Row(
        "image_prompt",
        "Open WebUI",
        _begins(_TASK + r"Generate a detailed prompt for an?m? image generation task"),
        _HISTORY,
    ),
    Row(
        "completion",
        "Open WebUI",
        _begins(_TASK + r"You are an autocompletion system"),
        ("<text>", "<type>"),
    ),
    Row(
        "emoji",
        "Open WebUI",
        _begins(
            r"Your task is to reflect the speaker's likely facial expression through a fitting"
        ),
        ("Message: ```",),
    ),
    Row(
        "title",
        "Open WebUI before 0.4",
        _begins(r"Create a concise, 3-5 word phrase"),
        ("suitable for the given query", "RESPOND ONLY WITH"),
    ),
    Row(
        "title",
        "LibreChat",
        _begins(r"Provide a concise, 5-word-or-less title for the conversation"),
        ("title case conventions", "Conversation:"),
    ),
    Row(
        "title",
        "LibreChat",
        _begins(r"Provide a concise, 5-word-or-less title for the conversation"),
        ("title case conventions", "Only return the title itself"),
    ),
    Row(
        "title",
        "LibreChat",
        _begins(r"Analyze this conversation and provide:"),
        ("1. The detected language of the conversation", "2. A concise title"),
    ),
    Row(
        "title",
        "LibreChat before 0.7",
        _begins(r"Please generate a concise, 5-word-or-less title for the conversation"),
        ("using its same language", "title case conventions"),
    ),
    Row(
        "title",
        "NextChat",
        _begins(r"Please generate a four to five word title summarizing our conversation"),
        ("without any lead-in",),
    ),
    Row(
        "title",
        "Chatbox",
        _begins(r"Based on the chat history, give this conversation a name"),
        ("10 characters max",),
    ),
    Row(
        "title",
        "opencode",
        _begins(r"You are a title generator\. You output ONLY a thread title"),
    ),
)
"""What chat clients ask models for behind their users' backs: titles, tags, follow-up questions.

A client that has got one answer sends up to four such requests for it. The words are those of the
clients' prompts, and change with them. A row that no longer fits lets a request become a debate,
which is expensive but not wrong. What must never happen is that a row fits what a person would
write, so every row says how the prompt begins, and what else is in it.

Sources: Open WebUI (backend/open_webui/config.py, 2026-07), LibreChat (@librechat/agents,
src/utils/title.ts, and its older title instruction), NextChat, Chatbox, opencode.
"""


def task_in(text: str) -> str:
    """What kind of task a message is; "" if it is no task that we know."""
    for row in TABLE:
        if row.begins.match(text) and all(part in text for part in row.has):
            return row.task
    return ""


def task_of(wanted: Wanted) -> str:
    """Which task it is: one of the table, `short`, or "" for a question to the panel."""
    if wanted.follows or wanted.is_background or not wanted.messages:
        return ""
    last, first = wanted.messages[-1], wanted.messages[0]
    known = task_in(last.text) if last.role == "user" else ""
    known = known or (task_in(first.text) if first.role == "system" else "")
    return known or (SHORT if _is_short(wanted) else "")


def _is_short(wanted: Wanted) -> bool:
    said = [one for one in wanted.messages if one.role not in ("system", "developer")]
    is_one_shot = len(said) == 1 and said[0].role == "user"
    size = sum(len(one.text) for one in wanted.messages)
    is_little = wanted.max_tokens is not None and wanted.max_tokens <= SHORT_TOKENS
    return is_one_shot and is_little and size <= SHORT_CHARACTERS


# --- how it is answered --------------------------------------------------------------------------


async def model_of(parts: ApiParts, panel: Panel) -> str:
    """The panel's model for small things: the one that it names, or its first participant's.

    Raises NoModel if there is none.
    """
    if panel.task_model:
        return panel.task_model
    question = Question(panel=panel, text=_PLACE)
    new = await asyncio.to_thread(stage_question, question, parts.asker.sources)
    config = await parts.service.plan(new)
    speakers = [one.model for one in config.participants if not one.is_human]
    return speakers[0] if speakers else parts.models.default(is_judge=False)


async def answered(parts: ApiParts, panel: Panel, wanted: Wanted, task: str) -> Reply:
    """The model's own words. Raises a ModelError."""
    model = await model_of(parts, panel)
    most = min(wanted.max_tokens or MOST_TOKENS, MOST_TOKENS)
    reply = await parts.models.get(model).call(
        ChatRequest(
            model="",
            messages=[_message(one) for one in wanted.messages],
            max_tokens=most,
            sampling=_sampling(wanted) if panel.inherit else Sampling(),
            deadline_s=DEADLINE_S,
            label=f"task/{task}",
        )
    )
    return Reply(
        text=reply.content,
        finish="length" if reply.finish is Finish.LENGTH else "stop",
        usage=reply.usage,
        by_model={model: reply.usage},
        task=task,
    )


def _message(one: Said) -> Message:
    return Message(role=_ROLES.get(one.role, one.role), content=one.text)


def _sampling(wanted: Wanted) -> Sampling:
    effort = wanted.sampling.get("reasoning_effort")
    return Sampling(
        temperature=wanted.sampling.get("temperature"),
        top_p=wanted.sampling.get("top_p"),
        reasoning_effort=Effort(effort) if effort else None,
    )
