"""Types that are read from data, made ready before any thread can read one.

At the first use of a type, msgspec (0.22) works out what it is made of, and a second thread that
comes along meanwhile finds half of it: the process dies of it, without a traceback. A server in
which two people opened the form of a new debate at once did. So every module that reads a type
makes it ready when it is imported; a test finds those that do not.
"""

from __future__ import annotations

from typing import Any

import msgspec


def ready(*kinds: Any) -> None:
    """Have it worked out here and now what these types, and all in them, are made of."""
    for kind in kinds:
        msgspec.json.Decoder(kind)
