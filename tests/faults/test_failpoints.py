"""Death at each named place, again and again until the debate is over, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults.holding import Child, Place, books, create, undisturbed

from moot.engine import failpoints
from moot.testing.oracles import Landed, check_book, check_spending, check_usage, transcript_hash
from moot.testing.server import ScriptedServer

pytestmark = pytest.mark.faults

PLACES = {
    # name: the how manieth time, lives to end that way, extra calls each may cost.
    # The number is the smallest that still lets every life get on by something.
    "claimed": (1, 3, 0),
    "before_send": (3, 50, 1),
    "mid_stream": (6, 50, 2),
    "reply_before_transaction": (3, 50, 2),
    "before_commit": (3, 50, 2),
    "committed_before_publish": (2, 50, 1),
}


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.xdist_group("postgres")]),
    ]
)
def database_url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.mark.parametrize("name", failpoints.NAMES)
async def test_ends_clean_wherever_it_dies(name: str, database_url: str, tmp_path: Path) -> None:
    number, most_lives, each = PLACES[name]
    topic = f"Dying at {name}: is it so?"
    (expected,) = await undisturbed(tmp_path, topic, turns=1)
    async with ScriptedServer() as server:
        place = Place(
            home=str(tmp_path / "home"),
            base_url=server.base_url,
            database_url=database_url,
            wants_text=name == "mid_stream",
        )
        debates = await create(place, topic, turns=1)
        landed = Landed()
        deadly = place.changed(failpoint=f"{name}:{number}")
        while landed[name] < most_lives:
            code = await Child(deadly, debates).ended()
            if code == 0:
                break
            assert code == failpoints.KILLED
            landed[name] += 1
        assert await Child(place, debates).ended() == 0
        landed.must_be(**{name: 2})
        found = await books(place, debates)
        check_book(found[0], transcript=transcript_hash(expected.records))
        extra = check_spending(server.calls, found, kills=landed[name], in_flight=each)
        print(dict(landed), extra)  # noqa: T201 - shown by pytest -rP
        check_usage(server.calls, found)
