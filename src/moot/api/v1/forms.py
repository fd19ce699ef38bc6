"""An answer put into the shape that a client asks for, by one more call to a model of the panel.

The answer itself is not changed and nothing is made up: what cannot be put into the shape is an
error.
"""

from __future__ import annotations

import msgspec

from moot import prompts
from moot.api.parts import ApiParts
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

ATTEMPTS = 2
"""The second is told what was wrong with the first."""
MOST_TOKENS = 4000
DEADLINE_S = 120.0


async def in_shape(parts: ApiParts, panel: Panel, reply: Reply, schema: Schema) -> Reply:
    """The reply with its text as JSON. Raises Refusal if no attempt met the schema, or a
    ModelError."""
    model = await model_of(parts, panel)
    messages = [Message(role="user", content=_prompt(reply.text, schema))]
    used, wrong = Usage(), ""
    for _ in range(ATTEMPTS):
        said = await _asked(parts, model, messages, schema)
        used += said.usage
        found = read_object(said.content)
        wrong = found.reason if isinstance(found, Unreadable) else ""
        if isinstance(found, dict) and not (missed := mistakes(found, schema.body)):
            return _with(reply, msgspec.json.encode(found).decode(), model, used)
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


def _with(reply: Reply, text: str, model: str, used: Usage) -> Reply:
    models = {**reply.by_model, model: reply.by_model.get(model, Usage()) + used}
    usage = reply.usage + used if reply.usage == total(reply.by_model) else reply.usage
    return msgspec.structs.replace(reply, text=text, by_model=models, usage=usage)
