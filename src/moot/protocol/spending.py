"""What a debate has cost, in one spelling for terminal, page and exports (`money` in words.js)."""

from __future__ import annotations

from moot.protocol.state import DebateState

UNKNOWN, FREE = "price unknown", "free"
DECIMALS = ((0.01, 2), (0.001, 3), (0.0, 4))
"""How many decimals are shown from which sum on: less than a cent still differs from nothing."""


def money(usd: float) -> str:
    """`$0.05`, `$0.004`, `free`."""
    decimals = next(count for least, count in DECIMALS if usd >= least)
    return f"${usd:.{decimals}f}" if usd > 0 else FREE


def cost(state: DebateState) -> str:
    """The cost in dollars, `free`, or `price unknown`; `at least` if some prices are not known."""
    total = state.usage.cost_usd
    if total is None:
        return UNKNOWN if state.calls else FREE
    turns = (turn.said for turn in state.turns.values())
    is_partial = any(said.model and said.usage.cost_usd is None for said in turns)
    if total == 0:
        return UNKNOWN if is_partial else FREE
    about = "at least " if is_partial else "about " if state.usage.is_estimated else ""
    return about + money(total)
