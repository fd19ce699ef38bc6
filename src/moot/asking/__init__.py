"""Asks panels: a question becomes a durable debate, and whoever asked may lose patience, die, come
back and ask again, and still there is one debate, paid for once.

The doors `/v1` and MCP translate what their clients say into a `Question` and what comes of it into
what their clients understand; everything in between is here and knows of neither.
"""

from __future__ import annotations

from moot.asking.asker import Asker, fingerprint, staged
from moot.asking.reports import Report
from moot.staging.panels import Question

__all__ = ["Asker", "Question", "Report", "fingerprint", "staged"]
