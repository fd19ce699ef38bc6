"""The council of seed 004: deliberation as a state machine.

settings    what it can be told
records     typed answers as tables of fields
answers     the answers the council asks for
seats       who sits on it, who sat out, who speaks in which round
positions   proposals, critiques, refinements, and how far positions moved
questions   clarifications: asked, answered, or not
briefing    what models are sent
stages      which steps each stage has, and what it emits
tables      the stages and transitions themselves
ballots     votes, rankings, and the answer before the debate
outcome     why it ended and what came of it
form        the format
"""

from __future__ import annotations

from moot.protocol.formats.council.form import Council

__all__ = ["Council"]
