"""The debate of seed 003, in rounds.

order      who speaks when, and where the judge comes in
answers    the judge's answer
rules      the format: prompts, steps, stages and transitions
"""

from __future__ import annotations

from moot.protocol.formats.rounds.order import RoundsSettings
from moot.protocol.formats.rounds.rules import RoundsFormat

__all__ = ["RoundsFormat", "RoundsSettings"]
