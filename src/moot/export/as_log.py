"""The debate as its log, whole, so that another Moot can import it: see `protocol.log`.

Whole or not at all: a log from which something is withheld would be another debate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.errors import Refused
from moot.protocol.events import Recorded
from moot.protocol.log import fold, written
from moot.protocol.visibility import Veil, veil_of

MEDIA_TYPE = "application/x-ndjson"
WITHHELD = (
    "a log is always exported whole, and a person who takes part may not see all of it "
    "yet: export it when the debate is over, or open the cards first"
)


def as_log(
    log: Sequence[Recorded], sources: Sequence[Veil], files: Mapping[str, str], debate_id: str
) -> str:
    """The file. Raises Refused while something in the log may not be shown."""
    if veil_of(fold(log), sources).is_drawn:
        raise Refused(WITHHELD)
    return written(log, files, debate_id)
