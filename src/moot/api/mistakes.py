"""What is wrong with a request, in plain words and by field. Never the values: they may be secrets.

pydantic finds the mistakes; here they are told. All of them are: if some parts of a new debate
cannot even be read, also those in the rest of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from difflib import get_close_matches
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from moot.api import creating
from moot.api.parts import ApiParts
from moot.api.problems import MISTAKES_MAX, of_error, problem
from moot.api.requests import BY_NAME, IN_FULL, NamedParticipant, NewDebateBody
from moot.definitions.schema import SENTENCES, fields_of, models_in, sentence
from moot.errors import InvalidInput, joined
from moot.protocol.registry import FORMATS, USUAL

Place = tuple[str | int, ...]
Found = Mapping[str, Any]

# Mistakes that can also be made in a debate file are told in the words of `definitions.schema`.
IN_JSON: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    **SENTENCES,
    "string_type": lambda _: "must be text",
    "list_type": lambda _: "must be a list",
    "dict_type": lambda _: "must be an object",
    "model_type": lambda _: "must be an object",
    "model_attributes_type": lambda _: "must be an object",
    "int_parsing": lambda _: "must be a whole number",
    "int_from_float": lambda _: "must be a whole number",
}
NO_BODY = "this call needs a JSON object as its body"
NOT_JSON = "send the body as JSON, with the header `Content-Type: application/json`"


def on_validation_error(
    parts: ApiParts,
) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    """The handler of everything that pydantic refuses."""
    sources = creating.sources(parts)

    async def handle(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for nothing else
        found = error.errors()[:MISTAKES_MAX]
        if refusal := _of_body(found[0], error.body):
            return refusal
        kinds = _kinds(request)
        wrong = [_mistake(one, kinds, error.body) for one in found]
        if NewDebateBody in kinds:
            places = [_place(one) for one in found]
            more = await asyncio.to_thread(creating.also_wrong, error.body, places, sources)
            # Whoever wrote `topik` need not be told as well that there is no `topic`.
            told = {one.field for one in wrong} | {_meant(one, kinds) for one in found}
            wrong += [one for one in more if one.field not in told]
        return of_error(joined(wrong))

    return handle


def _of_body(first: Found, body: object) -> Response | None:
    """A body that cannot be read at all."""
    if first["type"] == "json_invalid":
        why = str(first["ctx"]["error"]).removeprefix("JSON is malformed: ")
        detail = f"the body is not JSON: {why}"
        return problem(HTTPStatus.BAD_REQUEST, "invalid_json", detail, title="The body is not JSON")
    if isinstance(body, bytes) and body:
        return problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", NOT_JSON)
    return None


def _kinds(request: Request) -> list[type[BaseModel]]:
    """The models that the body of this route may be."""
    route = request.scope.get("route")
    field = route.body_field if isinstance(route, APIRoute) else None
    return list(models_in(field.field_info.annotation)) if field else []


def _place(found: Found) -> Place:
    where, *place = found["loc"]
    if where == "body":
        return tuple(part for part in place if part not in (IN_FULL, BY_NAME))
    return (where, *place)


def _mistake(found: Found, kinds: Sequence[type[BaseModel]], body: object) -> InvalidInput:
    place = _place(found)
    if not place:
        return InvalidInput(NO_BODY)
    field = ".".join(str(part) for part in place)
    if found["type"] != "extra_forbidden":
        return InvalidInput(sentence(found, IN_JSON), field=field)
    name = str(place[-1])
    if kinds == [NewDebateBody] and place == (name,) and name in _settings(body):
        return InvalidInput(f"is a setting: send it as `settings.{name}`", field=field)
    return InvalidInput(_unknown(name, list(_known(kinds, found["loc"][1:-1]))), field=field)


def _meant(found: Found, kinds: Sequence[type[BaseModel]]) -> str | None:
    """The field that an unknown one was probably meant to be."""
    place = _place(found)
    if found["type"] != "extra_forbidden" or not place:
        return None
    close = _closest(str(place[-1]), list(_known(kinds, found["loc"][1:-1])))
    return ".".join(str(part) for part in (*place[:-1], close)) if close else None


def _settings(body: object) -> set[str]:
    """The settings of the format that was asked for, or of all formats if there is no such one."""
    name = body.get("format", USUAL) if isinstance(body, dict) else ""
    kinds = [FORMATS[name]] if isinstance(name, str) and name in FORMATS else FORMATS.values()
    return {setting for one in kinds for setting in one.settings.__struct_fields__}


def _closest(name: str, known: Sequence[str]) -> str:
    return next(iter(get_close_matches(name.lower(), known, n=1, cutoff=0.5)), "")


def _unknown(name: str, known: Sequence[str]) -> str:
    close = _closest(name, known)
    hint = f"did you mean `{close}`? Known" if close else "known"
    return f"is not a known field; {hint}: {', '.join(known)}"


def _known(kinds: Sequence[type[BaseModel]], loc: Sequence[str | int]) -> Iterator[str]:
    """The fields that are known at that place."""
    for part in loc:
        if part in (IN_FULL, BY_NAME):
            kinds = [one for one in kinds if issubclass(one, NamedParticipant) == (part == BY_NAME)]
        elif isinstance(part, str):
            found = (fields_of(one).get(part) for one in kinds)
            kinds = [kind for annotation in found for kind in models_in(annotation)]
    yield from dict.fromkeys(name for one in kinds for name in fields_of(one))
