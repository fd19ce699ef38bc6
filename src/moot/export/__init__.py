"""A debate as a document: JSON, CSV, Markdown, or one self-contained HTML file; and the documents
that a format writes of its own debates, such as a report.

Pure functions over the log as far as it may be shown: same log, same bytes. Everything a model or a
person wrote is untrusted text here, and no document makes a request, runs a script or holds a live
formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from moot.errors import InvalidInput
from moot.export.as_answer import as_answer
from moot.export.as_csv import as_csv
from moot.export.as_document import kinds, writer
from moot.export.as_html import as_html, as_public_html
from moot.export.as_json import as_json
from moot.export.as_log import MEDIA_TYPE as LOG, as_log
from moot.export.as_markdown import as_markdown
from moot.export.page import message
from moot.protocol.events import Recorded
from moot.protocol.visibility import Shown, Veil, shown


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of document: how it is made, and what files and responses call it."""

    write: Callable[[Shown, str], str] | None
    """None for the log, which is not made of what may be shown of it."""
    media_type: str
    extension: str


EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "md": Export(write=as_markdown, media_type="text/markdown; charset=utf-8", extension=".md"),
        "html": Export(write=as_html, media_type="text/html; charset=utf-8", extension=".html"),
        "answer": Export(
            write=as_answer, media_type="text/markdown; charset=utf-8", extension=".answer.md"
        ),
        "json": Export(write=as_json, media_type="application/json", extension=".json"),
        **{
            name: Export(
                write=writer(name),
                media_type="text/markdown; charset=utf-8",
                extension=f".{name}.md",
            )
            for name in kinds()
        },
        "csv": Export(
            write=as_csv, media_type="text/csv; charset=utf-8; header=present", extension=".csv"
        ),
        "log": Export(write=None, media_type=LOG, extension=".jsonl"),
    }
)
MEDIA_TYPES: Mapping[str, str] = MappingProxyType(
    {name: export.media_type for name, export in EXPORTS.items()}
)


NO_FILES: Mapping[str, str] = MappingProxyType({})


def render(
    log: Sequence[Recorded],
    as_: str,
    sources: Sequence[Veil] = (),
    *,
    debate_id: str,
    files: Mapping[str, str] = NO_FILES,
) -> str:
    """The document, with `\\n` line ends except in CSV, of what may be seen of the debate now.

    `sources` are the veils of the debates that it was forked from, `files` the texts of its
    attachments by hash, which only the log has.

    Raises InvalidInput for an unknown kind, and for one that is not made of such debates; Refused
    for the log of a debate in which somebody may not know everything yet.
    """
    export = EXPORTS.get(as_)
    if export is None:
        message = f"there is no export as {as_!r}; known: {', '.join(EXPORTS)}"
        raise InvalidInput(message, field="as")
    if export.write is None:
        return as_log(log, sources, files, debate_id)
    return export.write(shown(log, sources), debate_id)


def render_public(log: Sequence[Recorded], sources: Sequence[Veil] = (), *, debate_id: str) -> str:
    """The HTML for strangers: of what may be seen of the debate now, what was said in public, and
    the scores."""
    return as_public_html(shown(log, sources), debate_id)


__all__ = ["EXPORTS", "MEDIA_TYPES", "Export", "message", "render", "render_public"]
