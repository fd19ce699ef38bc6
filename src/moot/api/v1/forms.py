"""An answer put into the shape that a client asks for, by one more call to a model of the panel.

The answer itself is not changed and nothing is made up: what cannot be put into the shape is an
error. What was made is kept with the question, so that a client that goes away and asks again, or
a server that dies, does not pay for it twice.
"""

from __future__ import annotations

import msgspec

from moot import prompts
from moot.api.parts import ApiParts
from moot.api.v1.asked import Entry
from moot.api.v1.refusals import Refusal
from moot.api.v1.replies import Reply
from moot.api.v1.schemas import mistakes
from moot.api.v1.tasks import model_of
from moot.api.v1.usage import total
from moot.definitions.values import Panel
from moot.models.port import ChatReply, ChatRequest
from moot.protocol.answers import Schema, Unreadable
from moot.protocol.parsing import read_object
from moot.protocol.quoting import block
from moot.protocol.steps import Prompt
from moot.protocol.values import Message, Usage
from moot.structs import ready

ATTEMPTS = 2
"""The second is told what was wrong with the first."""
MOST_TOKENS = 4000
DEADLINE_S = 120.0


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
        max_tokens=MOST_TOKENS,
        schema=schema,
        deadline_s=DEADLINE_S,
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
