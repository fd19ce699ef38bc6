"""Small requests of chat clients, answered by one call to a model of the panel, without a debate.

Only models of the panel that was asked are ever called, and only for short answers.
"""

from __future__ import annotations

import asyncio

from moot.api.parts import ApiParts
from moot.api.v1.conversation import Said
from moot.api.v1.replies import Reply
from moot.api.v1.task_table import task_in
from moot.api.v1.wanted import Wanted
from moot.definitions.values import Panel
from moot.models.port import ChatRequest
from moot.protocol.values import Message, Sampling
from moot.protocol.words import Effort, Finish
from moot.staging.panels import Question, stage_question

SHORT_TOKENS, SHORT_CHARACTERS = 64, 4000
"""A request for so little, of so little, that nobody can want a debate of it."""
MOST_TOKENS = 1000
DEADLINE_S = 60.0
SHORT = "short"
_PLACE = "What shall we do?"
_ROLES = {"developer": "system", "function": "user", "tool": "user"}


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


async def model_of(parts: ApiParts, panel: Panel) -> str:
    """The panel's model for small things: the one that it names, or that of its first member.

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
