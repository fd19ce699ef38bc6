"""Debates as resources, in Markdown: `moot://debates/{id}` is all of one that may be shown, and
`moot://debates/{id}/certificate` what a bench said about it."""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from moot.errors import MootError
from moot.mcp.answers import CERTIFICATE, URI, Listing
from moot.mcp.port import Caller, Door

MARKDOWN = "text/markdown"
MOST_LISTED = 20
LONGEST_NAME = 100
_BEFORE = URI.partition("{")[0]


def templates() -> list[ResourceTemplate]:
    """How the address of a debate is made."""
    about = "All that was said in a debate and may be shown."
    certified = "Whether the verdict of a debate would stand if a bench were asked again."
    rows = ((URI, "debate", about), (URI + CERTIFICATE, "certificate", certified))
    return [
        ResourceTemplate(uri_template=uri, name=name, description=told, mime_type=MARKDOWN)
        for uri, name, told in rows
    ]


async def listed(door: Door) -> list[Resource]:
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
