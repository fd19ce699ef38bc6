"""The thirty calls of a judged duel of six turns, as somebody without Moot would write them.

Same prompts, same histories, same order of dependence and same overlap as Moot's own format: each
participant asks in sequence, and the judge weighs a statement while the opponent thinks about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path

TURNS = 6
CALLS = 4 * TURNS + 6
CHAIN = 2 * TURNS + 7
"""The longest chain of calls that depend on each other."""

TOPIC = "Should cities close their centres to private cars?"
NAMES = ("Ada", "Bruno")
PERSONA = "You are {name}, who has thought about cities for twenty years. " * 4
TEMPLATES = Path(__file__).parents[1] / "src/moot/prompts/templates/duel"

Message = dict[str, str]
Ask = Callable[[list[Message]], Awaitable[str]]


def system(name: str) -> list[Message]:
    return [{"role": "system", "content": PERSONA.replace("{name}", name)}]


@cache
def _template(name: str) -> str:
    return (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def prompt(name: str, **slots: str) -> str:
    text = _template(name).replace("{side_block}", "").replace("{premise_block}", "")
    for slot, value in slots.items():
        text = text.replace("{" + slot + "}", value)
    return text


def think_prompt(number: int, said: str) -> str:
    if number == 1:
        return prompt("think_opening", topic=TOPIC, opponent=NAMES[1])
    return prompt("think_final" if number >= TURNS - 1 else "think", statement=said)


def speak_prompt(number: int) -> str:
    if number == 1:
        return prompt("opening", topic=TOPIC, opponent=NAMES[1])
    return prompt("respond_final" if number >= TURNS - 1 else "respond")


def evaluate_prompt(number: int, said: str) -> str:
    return prompt("evaluate", speaker=speaker_of(number), statement=said)


def score_prompt(number: int) -> str:
    template = "score_first" if number <= len(NAMES) else "score_running"
    return prompt(template, speaker=speaker_of(number))


def verdict_prompts() -> tuple[str, ...]:
    a, b = NAMES
    return (
        prompt("deliberate"),
        prompt("confirm", a=a, b=b),
        prompt("record", a=a, b=b, confirmed_winner=a),
        prompt("announce"),
    )


def speaker_of(number: int) -> str:
    return NAMES[(number - 1) % len(NAMES)]


class Chair:
    """One participant with its own growing history."""

    def __init__(self, name: str, ask: Ask) -> None:
        self._ask = ask
        self._history = system(name)

    async def asked(self, text: str) -> str:
        self._history.append({"role": "user", "content": text})
        reply = await self._ask(self._history)
        self._history.append({"role": "assistant", "content": reply})
        return reply


async def run(ask: Ask) -> None:
    """All thirty calls, each as soon as those before it allow."""
    said: list[asyncio.Future[str]] = [asyncio.Future() for _ in range(TURNS + 1)]
    said[0].set_result("")
    planned = [asyncio.Event() for _ in NAMES]
    await asyncio.gather(*(_debater(at, ask, said, planned) for at in range(2)), _judge(ask, said))


async def _debater(
    at: int, ask: Ask, said: list[asyncio.Future[str]], planned: list[asyncio.Event]
) -> None:
    chair = Chair(NAMES[at], ask)
    await chair.asked(prompt("plan", topic=TOPIC))
    planned[at].set()
    for number in range(at + 1, TURNS + 1, 2):
        await chair.asked(think_prompt(number, await said[number - 1]))
        for event in planned:
            await event.wait()
        said[number].set_result(await chair.asked(speak_prompt(number)))


async def _judge(ask: Ask, said: list[asyncio.Future[str]]) -> None:
    chair = Chair("the judge", ask)
    for number in range(1, TURNS + 1):
        await chair.asked(evaluate_prompt(number, await said[number]))
        await chair.asked(score_prompt(number))
    for text in verdict_prompts():
        await chair.asked(text)
