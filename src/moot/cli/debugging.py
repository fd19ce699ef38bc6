"""Whether whoever runs this wants to see tracebacks."""

from __future__ import annotations

import os


def is_debugging() -> bool:
    return os.environ.get("MOOT_DEBUG", "") not in ("", "0")
