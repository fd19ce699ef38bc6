"""What hosts offer their users besides the tools: debates as resources, and prompts.

Resources are in Markdown: `moot://debates/{id}` is all of one debate that may be shown, and
`moot://debates/{id}/certificate` what a bench said about it. Prompts are offered by name: each is a
request to use a tool.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from moot.errors import MootError
from moot.mcp.port import CERTIFICATE, URI, Caller, Door, Listing

MARKDOWN = "text/markdown"
MOST_LISTED = 20
LONGEST_NAME = 100
_BEFORE = URI.partition("{")[0]

QUESTION = "question"
THEN = (
    "Follow `next` of its results until it is over. Then tell me what came of it, and who saw it "
    "differently."
)


def templates() -> list[ResourceTemplate]:
    """How the address of a debate is made."""
    about = "All that was said in a debate and may be shown."
    certified = "Whether the verdict of a debate would stand if a bench were asked again."
    rows = ((URI, "debate", about), (URI + CERTIFICATE, "certificate", certified))
    return [
        ResourceTemplate(uri_template=uri, name=name, description=told, mime_type=MARKDOWN)
        for uri, name, told in rows
    ]


async def listed_resources(door: Door) -> list[Resource]:
    """The newest debates. Raises MCPError if the door cannot be used."""
    try:
        found = await door.call("list_debates", {"limit": MOST_LISTED}, Caller())
    except MootError as error:
        raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None
    debates = found.debates if isinstance(found, Listing) else ()
    return [
        Resource(
            uri=URI.format(id=one.debate),
            name=one.topic[:LONGEST_NAME],
            description=f"{one.format}, {one.status}",
            mime_type=MARKDOWN,
        )
        for one in debates
    ]


async def resource(door: Door, uri: str) -> ReadResourceResult:
    """The debate at that address. Raises MCPError if there is none."""
    if not uri.startswith(_BEFORE):
        message = f"there is nothing at {uri[:LONGEST_NAME]}; addresses look like {URI}"
        raise MCPError(code=INVALID_PARAMS, message=message, data={"uri": uri})
    try:
        wanted = uri.removeprefix(_BEFORE)
        is_certificate = wanted.endswith(CERTIFICATE)
        find = door.certificate if is_certificate else door.read
        text = await find(wanted.removesuffix(CERTIFICATE))
    except MootError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error), data={"uri": uri}) from None
    contents = TextResourceContents(uri=uri, text=text, mime_type=MARKDOWN)
    return ReadResourceResult(contents=[contents])


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt: what people read about it, and the text before their question."""

    about: str
    text: str


PROMPTS: Mapping[str, Offered] = {
    "council": Offered(
        about="Ask a council of models, which settles on one answer.",
        text="Call the tool ask_council with this question:",
    ),
    "duel": Offered(
        about="Have two models argue both sides before a judge.",
        text="Call the tool debate with this topic:",
    ),
    "red-team": Offered(
        about="Have one model propose and others attack the proposal.",
        text='Call the tool ask_council with the panel "red-team" and this question:',
    ),
}


def listed_prompts() -> list[Prompt]:
    """Every prompt, as hosts are told of it."""
    argument = PromptArgument(name=QUESTION, description="What to ask.", required=True)
    return [
        Prompt(name=name, description=one.about, arguments=[argument])
        for name, one in PROMPTS.items()
    ]


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """The prompt of that name. Raises MCPError if there is none, or nothing is asked."""
    question = arguments.get(QUESTION, "").strip()
    if name not in PROMPTS or not question:
        wrong = f"there is no prompt {name!r}" if name not in PROMPTS else f"{QUESTION} is missing"
        raise MCPError(code=INVALID_PARAMS, message=wrong)
    offered = PROMPTS[name]
    text = f"{offered.text}\n\n{question}\n\n{THEN}"
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=offered.about, messages=[message])
