"""LangGraph with its SQLite checkpointer: the same calls as a graph, durable after each step.

The calls go through the same bare `openai` client. What runs side by side in a duel runs in one
superstep here, so that the graph has as many supersteps as the longest chain has calls.
"""

from __future__ import annotations

import asyncio
import operator
import os
import tempfile
from pathlib import Path
from typing import Annotated, Any, TypedDict

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from openai import AsyncOpenAI

from benchmarks import duel, measure
from benchmarks.peers import bare

Histories = Annotated[list[duel.Message], operator.add]


class State(TypedDict):
    """`number` counts the statements made; each participant has a history of its own."""

    number: int
    said: str
    a: Histories
    b: Histories
    judge: Histories


class Nodes:
    """The steps of the duel, each one call."""

    def __init__(self, openai: AsyncOpenAI) -> None:
        self._openai = openai

    async def _asked(self, state: State, who: str, text: str) -> tuple[str, dict[str, Any]]:
        question = {"role": "user", "content": text}
        reply = await bare.ask_whole(self._openai, [*state[who], question])  # type: ignore[literal-required]
        return reply, {who: [question, {"role": "assistant", "content": reply}]}

    async def plan_a(self, state: State) -> dict[str, Any]:
        return (await self._asked(state, "a", duel.prompt("plan", topic=duel.TOPIC)))[1]

    async def plan_b(self, state: State) -> dict[str, Any]:
        return (await self._asked(state, "b", duel.prompt("plan", topic=duel.TOPIC)))[1]

    async def think(self, state: State) -> dict[str, Any]:
        number = state["number"] + 1
        return (await self._asked(state, _who(number), duel.think_prompt(number, state["said"])))[1]

    async def speak(self, state: State) -> dict[str, Any]:
        number = state["number"] + 1
        said, change = await self._asked(state, _who(number), duel.speak_prompt(number))
        return {**change, "number": number, "said": said}

    async def evaluate(self, state: State) -> dict[str, Any]:
        text = duel.evaluate_prompt(state["number"], state["said"])
        return (await self._asked(state, "judge", text))[1]

    async def score(self, state: State) -> dict[str, Any]:
        return (await self._asked(state, "judge", duel.score_prompt(state["number"])))[1]

    async def verdict(self, state: State) -> dict[str, Any]:
        asked = (len(state["judge"]) - 1) // 2 - 2 * duel.TURNS
        return (await self._asked(state, "judge", duel.verdict_prompts()[asked]))[1]


def _who(number: int) -> str:
    return "ab"[(number - 1) % 2]


def _after_speaking(state: State) -> list[str]:
    return ["think", "evaluate"] if state["number"] < duel.TURNS else ["evaluate"]


def _after_scoring(state: State) -> str:
    return "verdict" if len(state["judge"]) > 4 * duel.TURNS else END


def _after_verdict(state: State) -> str:
    return END if len(state["judge"]) > 4 * duel.TURNS + 8 else "verdict"


def graph(openai: AsyncOpenAI, saver: AsyncSqliteSaver) -> Any:
    nodes = Nodes(openai)
    built = StateGraph(State)
    for name in ("plan_a", "plan_b", "think", "speak", "evaluate", "score", "verdict"):
        built.add_node(name, getattr(nodes, name))
    built.add_edge(START, "plan_a")
    built.add_edge(START, "plan_b")
    built.add_edge(["plan_a", "plan_b"], "think")
    built.add_edge("think", "speak")
    built.add_conditional_edges("speak", _after_speaking, ["think", "evaluate"])
    built.add_edge("evaluate", "score")
    built.add_conditional_edges("score", _after_scoring, ["verdict", END])
    built.add_conditional_edges("verdict", _after_verdict, ["verdict", END])
    return built.compile(checkpointer=saver)


async def run(compiled: Any) -> None:
    a, b = (duel.system(name) for name in duel.NAMES)
    start = State(number=0, said="", a=a, b=b, judge=duel.system("the judge"))
    config = {"configurable": {"thread_id": os.urandom(8).hex()}, "recursion_limit": 50}
    end = await compiled.ainvoke(start, config, durability="sync")
    # One history each: a system prompt, then two messages per call.
    calls = sum((len(end[who]) - 1) // 2 for who in ("a", "b", "judge"))
    assert calls == duel.CALLS, calls


async def main() -> None:
    job = measure.job_from_arguments()
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as home:
        async with (
            bare.client(job) as openai,
            aiosqlite.connect(Path(home) / "langgraph.db") as connection,
        ):
            compiled = graph(openai, AsyncSqliteSaver(connection))
            measure.tell(await measure.duels(job, lambda: run(compiled)))


if __name__ == "__main__":
    asyncio.run(main())
