"""`kill -9` while benches vote: every ballot is cast once, and the certificate is the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.faults.holding import Child, Place, books, open_service
from tests.faults.test_kills import LATENCY_S, Executioner

from moot.engine.creation import NewDebate
from moot.protocol.hearing.case import Case, Hears, Said, Side
from moot.protocol.outcomes import Certificate
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.testing.oracles import Landed, check_book, check_spending, transcript_hash
from moot.testing.server import ScriptedServer
from moot.testing.server_wire import ChatCall

pytestmark = pytest.mark.faults

HEARINGS = 9
BALLOTS, AT_ONCE = 18, 12
SAYS = "Numbers were there before us."
MODELS = ("openai:gpt-4.1-mini", "openai:gpt-4.1", "openai:gpt-4.1-nano")
_WHO = re.compile(rf"^\[(\w)\]: {re.escape(SAYS)}", re.MULTILINE)


def vote(call: ChatCall) -> str:
    """For Ada, whatever she is called; but one of the judges goes by the name, so that it takes a
    second look."""
    text = call.request.messages[-1].content or ""
    ada = _WHO.search(text)
    assert ada is not None
    winner = "X" if call.request.model.endswith("nano") else ada[1]
    return json.dumps({"reasons": f"It holds in {len(text)}.", "winner": winner, "margin": 1})


def hearing(number: int) -> NewDebate:
    sides = tuple(Side(id=one.lower(), names=(one,)) for one in ("Ada", "Bo"))
    said = (Said(side="ada", text=SAYS), Said(side="bo", text=f"Not number {number}."))
    topic = f"Kill {number}: is it so?"
    case = Case(topic=topic, sides=sides, said=said)
    bench = tuple(
        Participant(id=f"j{seat}", name=f"Judge {seat}", role=Role.JUDGE, model=model)
        for seat, model in enumerate(MODELS, 1)
    )
    hears = Hears(debate="source", at=1, case=case, verdict="ada")
    return NewDebate(topic=topic, format="hearing", participants=bench, hears=hears)


async def created(place: Place) -> list[str]:
    async with open_service(place) as service:
        return [await service.create(hearing(number)) for number in range(HEARINGS)]


async def test_kills_change_no_ballot_and_no_certificate(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=LATENCY_S, script=vote) as quiet:
        calm = Place(home=str(tmp_path / "calm"), base_url=quiet.base_url)
        untouched = await created(calm)
        assert await Child(calm, untouched).ended() == 0
        expected = await books(calm, untouched)
        assert check_spending(quiet.calls, expected) == 0
    async with ScriptedServer(latency_s=LATENCY_S, script=vote) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        debates = await created(place)
        landed = Landed()
        for debate in debates:
            executioner = Executioner(server, place, [debate])
            await executioner.run(kills=6, most_calls=4)
            landed += executioner.landed
        print(dict(landed))  # noqa: T201 - shown by pytest -rP, quoted in reports
        landed.must_be(kill=50)
        found = await books(place, debates)
        for book, calm_book in zip(found, expected, strict=True):
            check_book(book, transcript=transcript_hash(calm_book.records))
            assert book.state.outcome == calm_book.state.outcome
            assert isinstance(book.state.outcome, Certificate)
            assert len(book.state.turns) == BALLOTS
        check_spending(server.calls, found, kills=landed["kill"], in_flight=AT_ONCE)
