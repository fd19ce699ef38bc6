"""LangGraph with its Postgres checkpointer: a graph of two nodes that take turns.

`durability="sync"`: every step is in the database before the next begins, as with the others. What
was said is part of the state, as the next speaker would need it.
"""

from __future__ import annotations

import asyncio
import operator
import uuid
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from benchmarks.runtime.share import CONNECTIONS, STEPS, answer, serve, share_from_arguments


class State(TypedDict):
    """What was said so far."""

    said: Annotated[list[str], operator.add]


async def _speak(state: State) -> dict[str, Any]:
    del state  # every reply is the same
    return {"said": [await answer()]}


def _after_a(state: State) -> str:
    return "b" if len(state["said"]) < STEPS else END


def _after_b(state: State) -> str:
    return "a" if len(state["said"]) < STEPS else END


def graph(saver: AsyncPostgresSaver) -> Any:
    built = StateGraph(State)
    built.add_node("a", _speak)
    built.add_node("b", _speak)
    built.add_edge(START, "a")
    built.add_conditional_edges("a", _after_a, ["b", END])
    built.add_conditional_edges("b", _after_b, ["a", END])
    return built.compile(checkpointer=saver)


async def _debate(compiled: Any) -> None:
    config = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": STEPS + 1}
    end = await compiled.ainvoke({"said": []}, config, durability="sync")
    assert len(end["said"]) == STEPS


async def main() -> None:
    share = share_from_arguments()
    # What the checkpointer's own from_conn_string asks of its connection.
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(
        share.url, min_size=CONNECTIONS, max_size=CONNECTIONS, kwargs=options, open=False
    ) as pool:
        saver = AsyncPostgresSaver(pool)  # type: ignore[arg-type]  # rows are dictionaries
        if share.worker == 0:
            await saver.setup()
        compiled = graph(saver)

        async def run(debates: int) -> None:
            await asyncio.gather(*(_debate(compiled) for _ in range(debates)))

        await serve(share, run)


if __name__ == "__main__":
    asyncio.run(main())
