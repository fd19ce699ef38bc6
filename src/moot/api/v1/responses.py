"""`/v1/responses`: the same questions, with an id that can be asked for later.

In the background a question is a debate that nobody waits for. What was answered can be followed
up by its id, and what runs can be called off.
"""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import Response

from moot.api.v1.asked import DOOR, RESPONSE, Client, Entry
from moot.api.v1.bodies import ResponseBody, read
from moot.api.v1.course import Course
from moot.api.v1.door import Door, origin_of
from moot.api.v1.objects import Objects
from moot.api.v1.refusals import Refusal
from moot.api.v1.schemes import RESPONSE_ANSWER, answer_of, body_of, streamed_or
from moot.api.v1.wanted import Wanted, of_response
from moot.api.v1.wire import IGNORED
from moot.definitions.documents import Document
from moot.definitions.values import Panel
from moot.errors import NotFound, Refused
from moot.protocol.words import Status

STANDING = {
    Status.CREATED: "queued",
    Status.RUNNING: "in_progress",
    Status.STOPPING: "in_progress",
    Status.STOPPED: "incomplete",
    Status.FAILED: "failed",
    Status.CANCELED: "cancelled",
}
"""The status of a response whose debate has no answer; debates of any other status have one."""
JSON = "application/json"


def routes(door: Door) -> APIRouter:
    router = APIRouter(tags=["v1"])

    @router.post(
        "/v1/responses",
        response_class=Response,
        responses=streamed_or(RESPONSE_ANSWER),
        openapi_extra=body_of(ResponseBody),
    )
    async def create_response(request: Request) -> Response:
        """Ask a panel. With `background`, the id comes at once. `previous_response_id` goes on from
        an earlier response."""
        wanted = of_response(read(await request.body(), ResponseBody))
        course = await door.course(request, wanted)
        if wanted.is_background and not wanted.is_streamed and not course.task:
            return await _begun(course)
        return door.answer(course, Objects(course))

    @router.get(
        "/v1/responses/{response_id}",
        response_class=Response,
        responses=streamed_or(RESPONSE_ANSWER),
    )
    async def show_response(
        request: Request, response_id: str, stream: bool = False, starting_after: int = -1
    ) -> Response:
        """How a response stands, and its answer once there is one. Runs nothing."""
        course = await _found(door, request, response_id, is_streamed=stream)
        if stream:
            return door.answer(course, Objects(course, after=starting_after))
        return await _standing(door, course)

    @router.post(
        "/v1/responses/{response_id}/cancel",
        response_class=Response,
        responses=answer_of(RESPONSE_ANSWER),
    )
    async def cancel_response(request: Request, response_id: str) -> Response:
        """Call off a response, without an answer. One that is over stays as it is."""
        course = await _found(door, request, response_id)
        with suppress(Refused):
            await door.parts.service.command(course.debate_id, "cancel")
        return await _standing(door, course)

    return router


async def _begun(course: Course) -> Response:
    """The response in the background: all that can be told yet is that the debate has begun."""
    await course.begin()
    headers = {IGNORED: ", ".join(course.ignored)} if course.ignored else None
    async with course.delivering():
        body = Objects(course).standing("queued")
    return Response(body, headers=headers, media_type=JSON)


async def _standing(door: Door, course: Course) -> Response:
    row = await door.parts.service.summary(course.debate_id)
    voice = Objects(course)
    if row.status not in STANDING:
        thoughts = [one async for one in course.thoughts()]
        reply = course.with_thoughts(await course.reply(), "".join(thoughts))
        return Response(voice.whole(reply), media_type=JSON)
    told = {}
    if row.status is Status.FAILED:
        report = await door.parts.asker.report(course.debate_id)
        told = {"error": {"code": "server_error", "message": report.failure}}
    return Response(voice.standing(STANDING[row.status], **told), media_type=JSON)


async def _found(
    door: Door, request: Request, response_id: str, *, is_streamed: bool = False
) -> Course:
    """The course of a question that was asked before. Raises Refusal if there is none."""
    debate_id = response_id.removeprefix(RESPONSE)
    try:
        config = (await door.parts.service.state(debate_id)).config
    except NotFound:
        config = None
    origin = config.origin if config else None
    if config is None or origin is None or origin.door != DOOR:
        detail = f"there is no response {response_id[:80]!r}"
        raise Refusal(404, "response_not_found", detail, field="response_id")
    panels = {one.name: one for one in await door.panels.all()}
    panel = panels.get(origin.panel) or _bare(origin.panel, config.format)
    wanted = Wanted(model=panel.name, messages=(), is_streamed=is_streamed, is_background=True)
    course = Course(door.parts, door.asked, wanted, panel, Client(), origin_of(request))
    course.entry = Entry(debate_id=debate_id, fingerprint="", is_new=True)
    return course


def _bare(name: str, form: str) -> Panel:
    """In place of a panel that is gone: nothing but how a panel answers is needed of it."""
    return Panel(name=name, about="", format=form, document=Document(data={}, source=""))
