"""Types that are read from data, made ready before any thread can read one; how times are written.

At the first use of a type, msgspec (0.22) works out what it is made of, and a second thread that
comes along meanwhile finds half of it: the process dies of it, without a traceback. A server in
which two people opened the form of a new debate at once did. So every module that reads a type
makes it ready when it is imported; a test finds those that do not.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec


def ready(*kinds: Any) -> None:
    """Have it worked out here and now what these types, and all in them, are made of."""
    for kind in kinds:
        msgspec.json.Decoder(kind)


def stamp(moment: datetime) -> str:
    """The moment as all JSON has it: ISO 8601 in UTC with a `Z`, fractions only if there are any.

    For what is not encoded by msgspec, which writes it like this by itself.
    """
    return str(msgspec.to_builtins(moment.astimezone(UTC)))
