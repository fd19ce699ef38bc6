"""Which steps each stage has, and which event it emits once it is through (seed 004, "Nodes")."""

from __future__ import annotations
