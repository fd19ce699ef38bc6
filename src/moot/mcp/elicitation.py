"""The questions of a debate as one form that a host shows, and what was filled in as answers.

Hosts know only flat forms of texts, numbers, choices and booleans, so every field of every question
becomes one of these: `q1` is the text of the first question, `q2_winner` a field of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from moot.engine.people import Given
from moot.mcp.port import Answer, Asked
from moot.structs import ready

KEY = "answers"
"""The key of our one form, where a host can be sent several."""
LONGEST_LABEL = 200
AGAIN = "That could not be used: {reason}"

Properties = dict[str, dict[str, Any]]


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What a host brings back with the answers: to which debate and which questions they belong.
    Nothing else is kept, so that even a server that was started since can go on."""

    debate: str
    questions: tuple[str, ...]


ready(Asking)


def form_of(answer: Answer, reason: str = "") -> ElicitRequestFormParams:
    """The form with all open questions; `reason` is why the last answers would not do."""
    texts = [one.text for one in answer.questions]
    if len(texts) > 1:
        texts = [f"{n}. {text}" for n, text in enumerate(texts, 1)]
    told = [AGAIN.format(reason=reason)] if reason else []
    properties: Properties = {}
    required: list[str] = []
    for n, question in enumerate(answer.questions, 1):
        for name, field in _fields(n, question):
            properties[name] = _PROPERTIES[field["kind"]](field)
            if field["required"] and not question.may_pass:
                required.append(name)
    schema = {"type": "object", "properties": properties, "required": required}
    return ElicitRequestFormParams(message="\n\n".join([*told, *texts]), requested_schema=schema)


def required_of(answer: Answer, reason: str = "") -> InputRequiredResult:
    """What is returned in place of a result where a server may not ask by itself."""
    state = Asking(debate=answer.debate, questions=tuple(one.id for one in answer.questions))
    request = ElicitRequest(params=form_of(answer, reason))
    return InputRequiredResult(
        input_requests={KEY: request}, request_state=msgspec.json.encode(state).decode()
    )


def given_by(
    reply: ElicitResult, asked: Sequence[str], questions: Sequence[Asked]
) -> Mapping[str, Given] | None:
    """The answers to the questions that are still open, by question; None if nobody has answered.

    `asked` are the questions of the form in their order. To decline the form is to pass, where all
    questions allow it.
    """
    still = {one.id: one for one in questions}
    numbered = {n: still[one] for n, one in enumerate(asked, 1) if one in still}
    if reply.action == "accept":
        content = reply.content or {}
        return {one.id: _given(n, one, content) for n, one in numbered.items()}
    is_free = all(one.may_pass for one in numbered.values())
    if reply.action == "decline" and is_free:
        return dict.fromkeys((one.id for one in numbered.values()), "")
    return None


def _given(n: int, question: Asked, content: Mapping[str, Any]) -> Given:
    if question.form is None:
        value = content.get(f"q{n}")
        return "" if value is None else str(value)
    names = {name: field["name"] for name, field in _fields(n, question)}
    found = {names[name]: value for name, value in content.items() if name in names}
    return {name: value for name, value in found.items() if value not in (None, "")} or ""


def _fields(n: int, question: Asked) -> list[tuple[str, Mapping[str, Any]]]:
    """The fields of a question, each with its name in the form."""
    if question.form is None:
        label = f"Your answer to question {n}" + (" (empty: pass)" if question.may_pass else "")
        return [(f"q{n}", {"kind": "text", "label": label, "required": True})]
    return [(f"q{n}_{field['name']}", field) for field in question.form["fields"]]


def _text(field: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "string", "title": field["label"][:LONGEST_LABEL]}


def _number(field: Mapping[str, Any]) -> dict[str, Any]:
    kind = "integer" if field.get("is_whole") else "number"
    bounds = {key: field[key] for key in ("minimum", "maximum") if field.get(key) is not None}
    return {"type": kind, "title": field["label"][:LONGEST_LABEL], **bounds}


def _choice(field: Mapping[str, Any]) -> dict[str, Any]:
    choices = field["choices"]
    names = {"enumNames": [one["label"] for one in choices]}
    return {**_text(field), "enum": [one["value"] for one in choices], **names}


def _truth(field: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "boolean", "title": field["label"][:LONGEST_LABEL]}


_PROPERTIES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "text": _text,
    "long_text": _text,
    "number": _number,
    "choice": _choice,
    "bool": _truth,
}
