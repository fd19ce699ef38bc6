"""Single calls to a model of the panel, for short answers; no other model is ever called.

Small requests of chat clients are answered by one such call, without a debate. Another puts the
answer of a debate into the shape that a client asks for. That answer itself is not changed and
nothing is made up: what cannot be put into the shape is an error. What was made is kept with the
question, so that a client that goes away and asks again, or a server that dies, does not pay for it
twice.
"""

from __future__ import annotations

import asyncio
import re
from typing import NamedTuple

import msgspec

from moot import prompts
from moot.api.parts import ApiParts
from moot.api.v1.asked import Entry
from moot.api.v1.conversation import Said
from moot.api.v1.refusals import Refusal
from moot.api.v1.replies import Reply, total
from moot.api.v1.schemas import mistakes
from moot.api.v1.wanted import Wanted
from moot.definitions.values import Panel
from moot.models.port import ChatReply, ChatRequest
from moot.protocol.answers import Schema, Unreadable
from moot.protocol.parsing import read_object
from moot.protocol.quoting import block
from moot.protocol.steps import Prompt
from moot.protocol.values import Message, Sampling, Usage
from moot.protocol.words import Effort, Finish
from moot.staging.panels import Question, stage_question
from moot.structs import ready

SHORT_TOKENS, SHORT_CHARACTERS = 64, 4000
"""A request so short, for an answer so short, that nobody can want a debate of it."""
MOST_TOKENS = 1000
DEADLINE_S = 60.0
SHORT = "short"
_PLACE = "What shall we do?"
_ROLES = {"developer": "system", "function": "user", "tool": "user"}

ATTEMPTS = 2
"""The second is told what was wrong with the first."""
FORM_TOKENS = 4000
FORM_DEADLINE_S = 120.0


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


# --- an answer put into a shape ---


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as JSON, the model that put it into the schema, and what that took."""

    text: str
    model: str
    usage: Usage


ready(Form)


async def in_shape(
    parts: ApiParts, panel: Panel, entry: Entry, reply: Reply, schema: Schema
) -> Reply:
    """The reply with its text as JSON, made now unless it was made before. Raises Refusal if no
    attempt met the schema, or a ModelError."""
    kept = await parts.service.asked.find(entry.fingerprint)
    if kept is not None and kept.debate_id == entry.debate_id and kept.form:
        return _with(reply, msgspec.json.decode(kept.form, type=Form))

    async def make() -> Form:
        form = await _made(parts, panel, reply.text, schema)
        told = msgspec.json.encode(form).decode()
        await parts.service.asked.keep_form(entry.fingerprint, entry.debate_id, told)
        return form

    form = await parts.asker.errands.done(f"form/{entry.debate_id}/{entry.fingerprint}", make)
    return _with(reply, form)


async def _made(parts: ApiParts, panel: Panel, answer: str, schema: Schema) -> Form:
    model = await model_of(parts, panel)
    messages = [Message(role="user", content=_prompt(answer, schema))]
    used, wrong = Usage(), ""
    for _ in range(ATTEMPTS):
        said = await _asked(parts, model, messages, schema)
        used += said.usage
        found = read_object(said.content)
        wrong = found.reason if isinstance(found, Unreadable) else ""
        if isinstance(found, dict) and not (missed := mistakes(found, schema.body)):
            return Form(text=msgspec.json.encode(found).decode(), model=model, usage=used)
        wrong = wrong or "; ".join(missed)
        messages = [*messages, Message(role="assistant", content=said.content), _again(wrong)]
    detail = f"the answer could not be put into the schema: {wrong}"
    raise Refusal(502, "schema_not_met", detail)


def _prompt(answer: str, schema: Schema) -> str:
    told = msgspec.json.format(msgspec.json.encode(schema.body)).decode()
    slots = {"answer": block(answer), "schema": told}
    return prompts.render(Prompt("into_schema", slots))


def _again(reason: str) -> Message:
    return Message(role="user", content=prompts.render(Prompt("ask_again", {"reason": reason})))


async def _asked(parts: ApiParts, model: str, messages: list[Message], schema: Schema) -> ChatReply:
    request = ChatRequest(
        model="",
        messages=messages,
        max_tokens=FORM_TOKENS,
        schema=schema,
        deadline_s=FORM_DEADLINE_S,
        label="v1/schema",
    )
    return await parts.models.get(model).call(request)


def _with(reply: Reply, form: Form) -> Reply:
    model, used = form.model, form.usage
    models = {**reply.by_model, model: reply.by_model.get(model, Usage()) + used}
    usage = reply.usage + used if reply.usage == total(reply.by_model) else reply.usage
    costs = (reply.cost_usd, used.cost_usd)
    cost = None if None in costs else sum(one or 0.0 for one in costs)
    return msgspec.structs.replace(
        reply, text=form.text, by_model=models, usage=usage, cost_usd=cost
    )
