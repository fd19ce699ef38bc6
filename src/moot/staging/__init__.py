"""Makes a debate from a request: the one way in for command line, HTTP, room and library.

Whoever asks fills in a `DebateRequest`. The file is read, the roster is seated or drawn, models are
put in and files are read here and nowhere else, so that every door refuses the same things in the
same words. What comes out is a `NewDebate`, which `Service.create` freezes into the log.
"""

from __future__ import annotations

from moot.definitions.casting import Named
from moot.staging.again import HearingRequest, Rematch, changes, discussion, exam, hearing, rematch
from moot.staging.making import stage
from moot.staging.request import DebateRequest, Me, ModelChoice, Sources, Wish

__all__ = [
    "DebateRequest",
    "HearingRequest",
    "Me",
    "ModelChoice",
    "Named",
    "Rematch",
    "Sources",
    "Wish",
    "changes",
    "discussion",
    "exam",
    "hearing",
    "rematch",
    "stage",
]
