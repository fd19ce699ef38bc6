"""A program that uses the library, as `mypy --strict` sees it: `make lint` checks this file.

`assert_type` fails where a type is lost on the way to callers, and an unused `type: ignore` where a
mistake would not be found. The test beside it runs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import moot


def mine(messages: list[dict[str, str]]) -> str:
    return messages[-1]["content"]


async def main(home: Path) -> str | None:
    async with moot.open(home=home, models={"mine": mine}) as m:
        assert_type(m, moot.Moot)
        ada = moot.Persona(name="Ada", personality="You are Ada.")
        bob = moot.Participant(id="bob", name="Bob", role=moot.Role.DEBATER)
        debate = await m.create(
            "Tea?", participants=[ada, bob], model="mine", turns=1, idempotency_key="tea"
        )
        assert_type(debate, moot.Debate)
        async for turn in debate.run():
            assert_type(turn, moot.TurnRecorded)
        outcome = await debate.finish()
        assert_type(outcome, moot.Outcome | None)
        assert_type(debate.winner, str | None)
        assert_type(debate.scores, dict[str, int | float] | None)
        assert_type(debate.cost_usd, float | None)
        assert_type(await m.list(status="completed"), list[moot.DebateRow])
        assert_type(await debate.fork(at=3, models={"bob": "mine"}), moot.Debate)
        assert_type(await debate.export("md"), str)
        assert_type(await debate.rematch(swap=True), moot.Debate)
        answer = await m.ask("duel", "Coffee?", model="mine", turns=1)
        assert_type(answer, moot.Answer)
        panel = moot.Panel(name="tea", format="duel", settings={"turns": 1})
        assert_type(await m.ask(panel, "Cake?", after=answer.debate_id, model="mine"), moot.Answer)
        assert_type(await m.panels(), list[moot.Panel])
        assert_type(answer.outcome, moot.Outcome)
        assert_type(moot.__version__, str)
        return debate.winner


async def mistaken(debate: moot.Debate) -> None:
    """Never called: its mistakes are found before."""
    await debate.finnish()  # type: ignore[attr-defined]
    await debate.fork(at="3")  # type: ignore[arg-type]
    print(moot.Verdikt)  # type: ignore[attr-defined]  # noqa: T201


def main_in_a_script(home: Path) -> str | None:
    with moot.sync.open(home=home, models={"mine": mine}) as m:
        debate = m.create("Tea?", model="mine", turns=1)
        assert_type(debate, moot.sync.Debate)
        for turn in debate.run():
            assert_type(turn, moot.TurnRecorded)
        assert_type(debate.finish(), moot.Outcome | None)
        assert_type(m.list(), list[moot.DebateRow])
        return debate.winner
