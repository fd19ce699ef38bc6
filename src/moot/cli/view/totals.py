"""What a debate took: calls, tokens, money, time."""

from __future__ import annotations

from datetime import datetime

from moot.cli.view.console import duration
from moot.protocol.state import DebateState

_CENT = 0.01


def totals(state: DebateState, now: datetime) -> str:
    usage = state.usage
    about = "about " if usage.is_estimated else ""
    return " · ".join(
        (
            f"{state.calls} call{'s' if state.calls != 1 else ''}",
            f"{about}{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out",
            cost(state),
            duration(state.runtime_s(now)),
        )
    )


def cost(state: DebateState) -> str:
    """In dollars, `free`, or `cost unknown`; `at least` if some of the prices are not known."""
    total = state.usage.cost_usd
    if total is None:
        return "cost unknown" if state.calls else "free"
    turns = (turn.said for turn in state.turns.values())
    is_partial = any(said.model and said.usage.cost_usd is None for said in turns)
    if total == 0 and not is_partial:
        return "free"
    figure = f"${total:.2f}" if total >= _CENT else f"${total:.4f}"
    return f"at least {figure}" if is_partial else figure
