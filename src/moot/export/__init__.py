"""A debate as a document: JSON, CSV, Markdown, or one self-contained HTML file; and what a council
came to, as a report and as a decision record.

Pure functions over the folded log: same log, same bytes. Everything a model or a person wrote is
untrusted text here, and no document makes a request, runs a script or holds a live formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from moot.errors import InvalidInput
from moot.export.as_csv import as_csv
from moot.export.as_decision_record import as_decision_record
from moot.export.as_json import as_json
from moot.export.as_markdown import as_markdown
from moot.export.as_report import as_report
from moot.export.html import as_html
from moot.protocol.events import Recorded


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of document: how it is made, and what files and responses call it."""

    write: Callable[[Sequence[Recorded], str], str]
    media_type: str
    extension: str


EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "md": Export(write=as_markdown, media_type="text/markdown; charset=utf-8", extension=".md"),
        "html": Export(write=as_html, media_type="text/html; charset=utf-8", extension=".html"),
        "json": Export(write=as_json, media_type="application/json", extension=".json"),
        "report": Export(
            write=as_report, media_type="text/markdown; charset=utf-8", extension=".report.md"
        ),
        "decision-record": Export(
            write=as_decision_record,
            media_type="text/markdown; charset=utf-8",
            extension=".decision-record.md",
        ),
        "csv": Export(
            write=as_csv, media_type="text/csv; charset=utf-8; header=present", extension=".csv"
        ),
    }
)
MEDIA_TYPES: Mapping[str, str] = MappingProxyType(
    {name: export.media_type for name, export in EXPORTS.items()}
)


def render(log: Sequence[Recorded], as_: str, *, debate_id: str) -> str:
    """The document, with `\\n` line ends except in CSV.

    Raises InvalidInput for an unknown kind, and for one that is not made of such debates.
    """
    export = EXPORTS.get(as_)
    if export is None:
        message = f"there is no export as {as_!r}; known: {', '.join(EXPORTS)}"
        raise InvalidInput(message, field="as")
    return export.write(log, debate_id)


__all__ = ["EXPORTS", "MEDIA_TYPES", "Export", "render"]
