"""Types that are read from data, made ready before any thread can read one; how times are written.

At the first use of a type, msgspec (0.22) works out what it is made of, and a second thread that
comes along meanwhile finds half of it: the process dies without a traceback. This happened to a
server in which two people opened the form of a new debate at once. So every module that reads a
type makes it ready when it is imported; a test finds those that do not.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec


def ready(*kinds: Any) -> None:
    """Make msgspec work out now what these types, and all types in them, are made of."""
    for kind in kinds:
        msgspec.json.Decoder(kind)


def stamp(moment: datetime) -> str:
    """The moment as all JSON has it: ISO 8601 in UTC with a `Z`, fractions only if there are any.

    For text that is not encoded by msgspec, which writes moments like this by itself.
    """
    return str(msgspec.to_builtins(moment.astimezone(UTC)))
