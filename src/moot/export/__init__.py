"""A debate as a document: JSON, CSV, Markdown, or one self-contained HTML file; and the documents
that a format writes of its own debates, such as a report.

Pure functions over the log as far as it may be shown: same log, same bytes. Everything a model or a
person wrote is untrusted text here, and no document makes a request, runs a script or holds a live
formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from moot.errors import InvalidInput
from moot.export.as_answer import as_answer
from moot.export.as_csv import as_csv
from moot.export.as_document import writer
from moot.export.as_html import as_html, as_public_html
from moot.export.as_json import as_json
from moot.export.as_log import MEDIA_TYPE as LOG, as_log
from moot.export.as_markdown import as_markdown
from moot.export.tags import message
from moot.protocol.events import Recorded
from moot.protocol.machine import Format
from moot.protocol.outcomes import Certificate, with_certificate
from moot.protocol.registry import FORMATS
from moot.protocol.visibility import Shown, Veil, shown


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of document: how it is made, and what files and responses call it."""

    write: Callable[[Shown, str], str] | None
    """None for the log, which is exported whole, not only as far as it may be shown."""
    media_type: str
    extension: str


_exports: dict[str, Export] = {}
EXPORTS: Mapping[str, Export] = MappingProxyType(_exports)
"""All that are registered, the built-in ones first. `moot.plugins` adds those of other packages."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_EXTENSION = re.compile(r"(\.[a-z0-9-]{1,40}){1,3}")


def register_export(name: str, export: Export) -> None:
    """Registers a kind of document by its name. Raises InvalidInput if the name is taken or not a
    valid one, or if files or responses cannot have that extension or media type."""
    if not _NAME.fullmatch(name):
        message = f"{name!r} cannot be the name of an export; use a-z, 0-9 and -"
        raise InvalidInput(message)
    if name in _exports:
        message = f"there is already an export called {name}; choose another name"
        raise InvalidInput(message)
    # Both go into headers.
    if not _EXTENSION.fullmatch(export.extension) or not _is_plain(export.media_type):
        raise InvalidInput("needs an extension such as .tex and a media type such as text/plain")
    _exports[name] = export


def register_documents(rules: Format) -> None:
    """Registers the documents that a format writes of its own debates. Two formats may write the
    same one; raises InvalidInput if the name is that of another kind of export."""
    for name in rules.documents:
        if name in _documents:
            continue
        extension = f".{name}.md"
        register_export(name, Export(write=writer(name), media_type=MARKDOWN, extension=extension))
        _documents.add(name)


def _is_plain(media_type: str) -> bool:
    return "/" in media_type and media_type.isascii() and media_type.isprintable()


MARKDOWN = "text/markdown; charset=utf-8"
_documents: set[str] = set()
_HTML, _CSV = "text/html; charset=utf-8", "text/csv; charset=utf-8; header=present"
for _name, _export in {
    "md": Export(write=as_markdown, media_type=MARKDOWN, extension=".md"),
    "html": Export(write=as_html, media_type=_HTML, extension=".html"),
    "answer": Export(write=as_answer, media_type=MARKDOWN, extension=".answer.md"),
    "json": Export(write=as_json, media_type="application/json", extension=".json"),
    "csv": Export(write=as_csv, media_type=_CSV, extension=".csv"),
    "log": Export(write=None, media_type=LOG, extension=".jsonl"),
}.items():
    register_export(_name, _export)
for _rules in FORMATS.values():
    register_documents(_rules)


NO_FILES: Mapping[str, str] = MappingProxyType({})


def render(
    log: Sequence[Recorded],
    as_: str,
    sources: Sequence[Veil] = (),
    *,
    debate_id: str,
    files: Mapping[str, str] = NO_FILES,
    certificate: Certificate | None = None,
) -> str:
    """The document, with `\\n` line ends except in CSV, of what may be seen of the debate now.

    `sources` are the veils of the debates that it was forked from, `files` the texts of its
    attachments by hash, which only the log has. `certificate` is what the newest bench said that
    was asked about the debate later: only the log of that hearing has it.

    Raises InvalidInput for an unknown kind, and for one that is not made of such debates; Refused
    for the log of a debate in which somebody may not know everything yet.
    """
    export = EXPORTS.get(as_)
    if export is None:
        message = f"there is no export as {as_!r}; known: {', '.join(EXPORTS)}"
        raise InvalidInput(message, field="as")
    if export.write is None:
        return as_log(log, sources, files, debate_id)
    seen = shown(log, sources)
    if certificate is not None and seen.state.outcome is not None:
        seen.state.outcome = with_certificate(seen.state.outcome, certificate)
    return export.write(seen, debate_id)


def render_public(log: Sequence[Recorded], sources: Sequence[Veil] = (), *, debate_id: str) -> str:
    """The HTML for strangers: what was said in public, and the scores, as far as they may be seen
    now."""
    return as_public_html(shown(log, sources), debate_id)


__all__ = [
    "EXPORTS",
    "Export",
    "message",
    "register_documents",
    "register_export",
    "render",
    "render_public",
]
