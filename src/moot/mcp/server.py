"""The protocol: tools, resources and prompts of a door, in both forms that hosts speak, by standard
input and output or by HTTP.

In the protocol of 2025 a server asks the host for answers while the call lasts; in that of 2026 it
returns what it wants to know, and the host calls again with it. A host that can do neither is given
the questions with the result. No call lasts longer than the seconds it was given, whoever is
thinking.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    Tool,
    ToolAnnotations,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp

from moot.errors import InvalidInput, ModelError, MootError, NotFound, Refused
from moot.mcp import offers
from moot.mcp.arguments import TOOLS, USUAL_WAIT_S, read, schema
from moot.mcp.elicitation import KEY, Asking, form_of, given_by, required_of
from moot.mcp.pipes import Pipes
from moot.mcp.port import Answer, Caller, Door, Listing
from moot.models.cleaning import clean_text

log = logging.getLogger(__name__)

NAME = "moot"
INSTRUCTIONS = (
    "Moot holds debates between language models. A call returns in time even if the debate is not "
    "over; it goes on by itself. Follow `next` of each result. Results are never lost: "
    "list_debates finds them."
)
INTERNAL = HTTPStatus.INTERNAL_SERVER_ERROR
KEPT_S = 7 * 24 * 3600.0
"""For how long a host may bring back the answers to a form."""
MOST_FORMS = 3
"""How many forms one call shows a person whose answers will not do."""
MOST_SESSIONS = 1000
"""How many hosts that speak the protocol of 2025 may have a session; each session is a task."""
IDLE_S = 30 * 60
MOST_BYTES = 64_000_000
"""No limit of ours: the guards around the app have read the body, and refused what is too big."""
LONGEST_NAME = 80
WRONG_INSIDE = "this did not work, for a reason that is in Moot's log; try again in a moment"

Context = ServerRequestContext[Any, Any]


async def over_stdio(door: Door, pipes: Pipes, *, secret: bytes, version: str) -> None:
    """Serve the one host at the other end until it closes its end."""
    server = create_server(door, secret=secret, version=version)
    ends: Any = pipes  # of anyio's files, only the methods that `Pipes` has are used
    async with stdio_server(ends, ends) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


@asynccontextmanager
async def over_http(door: Door, *, secret: bytes, version: str) -> AsyncIterator[ASGIApp]:
    """The app for one path of a server. Who may come in at all is decided around it."""
    manager = StreamableHTTPSessionManager(
        create_server(door, secret=secret, version=version),
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
    )
    async with manager.run():
        yield manager.handle_request


def create_server(door: Door, *, secret: bytes, version: str) -> Server[Any]:
    """The server in front of that door. `secret` seals what hosts bring back, so that every server
    with the same secret accepts it."""
    handlers = _Handlers(door)
    server: Server[Any] = Server(
        NAME,
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        get_tool_input_schema=lambda name: schema(name) if name in TOOLS else None,
    )
    key = hashlib.sha256(b"moot.mcp" + secret).digest()
    security = RequestStateSecurity(keys=[key], ttl=KEPT_S)
    server.middleware.append(RequestStateBoundary(security, default_audience=NAME))
    return server


def tools() -> list[Tool]:
    """The tools, as hosts are told of them."""
    return [
        Tool(
            name=name,
            description=one.about,
            input_schema=schema(name),
            annotations=ToolAnnotations(read_only_hint=True) if one.is_reading else None,
        )
        for name, one in TOOLS.items()
    ]


class _Handlers:
    """A handler for each method of the protocol that we support."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def list_tools(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools())

    async def list_resources(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return ListResourcesResult(resources=await offers.listed_resources(self._door))

    async def list_templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=offers.templates())

    async def read_resource(
        self, _: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        return await offers.resource(self._door, str(params.uri))

    async def list_prompts(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(prompts=offers.listed_prompts())

    async def get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return offers.prompt(params.name, params.arguments or {})

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        if params.name not in TOOLS:
            message = f"there is no tool {params.name[:LONGEST_NAME]!r}; use {', '.join(TOOLS)}"
            raise MCPError(code=INVALID_PARAMS, message=message)
        try:
            found = await _Call(self._door, ctx, params).answered()
        except MootError as error:
            return _refusal(error)
        except Exception:
            log.exception("tool broke")
            return _told(WRONG_INSIDE)
        return found if isinstance(found, InputRequiredResult) else _result(found)


def _result(found: Answer | Listing) -> CallToolResult:
    fields = msgspec.to_builtins(found)
    return CallToolResult(content=[_text(found.text())], structured_content=fields)


def _refusal(error: MootError) -> CallToolResult:
    """What the caller can do about the error; of one inside Moot, only that there is one."""
    is_inside = error.http_status >= INTERNAL and not isinstance(error, ModelError)
    if is_inside:
        log.error("tool broke", exc_info=error)
    return _told(WRONG_INSIDE if is_inside else str(error))


def _told(text: str) -> CallToolResult:
    return CallToolResult(content=[_text(text)], is_error=True)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


class _Call:
    """One call of a tool, with the questions that come up while it lasts."""

    def __init__(self, door: Door, ctx: Context, params: CallToolRequestParams) -> None:
        self._door = door
        self._ctx = ctx
        self._params = params
        self._caller = Caller(client=_client(ctx), tell=ctx.session.report_progress)
        self._now = asyncio.get_running_loop().time
        self._begun = self._now()
        self._asks = ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS
        """Whether the server asks while the call lasts, instead of being called again."""

    async def answered(self) -> Answer | Listing | InputRequiredResult:
        """What the host is given."""
        wanted = read(self._params.name, self._params.arguments or {})
        wait_s = float(getattr(wanted, "wait_seconds", USUAL_WAIT_S))
        self._until = self._begun + wait_s
        if self._params.request_state is not None:
            return await self._gone_on(self._params.request_state)
        found = await self._door.call(self._params.name, self._params.arguments or {}, self._caller)
        return await self._with_answers(found)

    async def _with_answers(
        self, found: Answer | Listing, reason: str = ""
    ) -> Answer | Listing | InputRequiredResult:
        """`found`, or how the debate stands once a person has answered, if there is a way to ask
        and time to wait."""
        for _ in range(MOST_FORMS):
            if not isinstance(found, Answer) or not found.questions or not _has_forms(self._ctx):
                break
            if not self._asks:
                return required_of(found, reason)
            reply = await self._elicited(found, reason)
            asked = [one.id for one in found.questions]
            given = given_by(reply, asked, found.questions) if reply is not None else None
            if given is None:
                break
            found, reason = await self._give(found, given)
        return found

    async def _gone_on(self, state: str) -> Answer | Listing | InputRequiredResult:
        """What a host is given that calls again with the answers; it may have got the questions
        from another server."""
        asking = msgspec.json.decode(state, type=Asking)
        found = await self._standing(asking.debate, 0)
        reply = (self._params.input_responses or {}).get(KEY)
        questions = found.questions if isinstance(found, Answer) else ()
        given = None
        if isinstance(reply, ElicitResult):
            given = given_by(reply, asking.questions, questions)
        if given is None:  # nobody wanted to answer
            return found
        if not given:  # somebody else was quicker
            return await self._with_answers(await self._standing(asking.debate, self._left_s))
        return await self._with_answers(*await self._give(found, given))

    async def _give(
        self, found: Answer | Listing, given: Mapping[str, Any]
    ) -> tuple[Answer | Listing, str]:
        """How the debate stands with these answers, or why they will not do."""
        assert isinstance(found, Answer)  # noqa: S101 - nothing else has questions
        wanted = {"debate": found.debate, "answers": given, "wait_seconds": self._left_s}
        try:
            return await self._door.call("answer", wanted, self._caller), ""
        except (InvalidInput, NotFound, Refused) as error:
            return await self._standing(found.debate, 0), str(error)

    async def _standing(self, debate_id: str, wait_s: float) -> Answer | Listing:
        wanted = {"debate": debate_id, "wait_seconds": wait_s}
        return await self._door.call("status", wanted, self._caller)

    async def _elicited(self, found: Answer, reason: str) -> ElicitResult | None:
        """What a person has filled in; None if the time is up, or the host cannot ask after all."""
        form = form_of(found, reason)
        try:
            async with asyncio.timeout(self._left_s):
                return await self._ctx.session.elicit_form(
                    form.message, form.requested_schema, self._ctx.request_id
                )
        except (TimeoutError, MCPError):
            return None

    @property
    def _left_s(self) -> float:
        return max(0.0, self._until - self._now())


def _has_forms(ctx: Context) -> bool:
    """Whether the host shows forms. One that names no kind does, as in the protocol's first
    version."""
    told = ctx.session.client_capabilities
    kinds = told.elicitation if told else None
    return kinds is not None and (kinds.form is not None or kinds.url is None)


def _client(ctx: Context) -> str:
    told = ctx.session.client_params
    name = told.client_info.name if told else ""
    return " ".join(clean_text(name, max_chars=LONGEST_NAME).split())
