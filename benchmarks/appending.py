"""What the index of texts costs an append: the same appends with and without it, in turns.

`python -m benchmarks.appending` prints a table. CPU is of the whole process (the writer's thread
included), the least of several rounds; each round of one kind is followed by one of the other, so
that what others do on the machine hits both alike.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from moot.protocol.events import Recorded
from moot.protocol.words import Visibility
from moot.store.backends.sqlite.store import SqliteStore
from moot.testing.store_contract.samples import created, summary, turn

ROUNDS, APPENDS = 7, 480
LENGTHS = (700, 2000)
GROUPS = (1, 32)
"""How many debates are appended to at the same time, and so committed together."""
EVERY = {1: "each", 4: "one in four"}
"""Which of the turns are public: in a judged duel of six statements, seven of thirty."""
TEXTS = 300
PROSE = Path(__file__).parent.parent / "docs"


def texts_of(length: int) -> list[str]:
    """Pieces of English prose, from places drawn at random: words repeat as often as in debates."""
    words = " ".join(one.read_text() for one in sorted(PROSE.glob("**/*.md"))).split()
    chance = random.Random(5)  # noqa: S311 - the same every time
    starts = [chance.randrange(len(words) - length) for _ in range(TEXTS)]
    return [" ".join(words[start : start + length])[:length] for start in starts]


def recorded(seq: int, text: str, *, is_public: bool) -> Recorded:
    said = turn(seq, f"s/{seq}", text)
    if is_public:
        return said
    return Recorded(seq, said.at, replace(said.event, visibility=Visibility.PRIVATE))


async def round_of(
    store: SqliteStore, texts: Sequence[str], group: int, name: str, *, every: int
) -> float:
    """Microseconds of CPU for an append, where one turn in `every` is public."""
    debates = [f"{name}-{number}" for number in range(group)]
    for one in debates:
        await store.create([created()], summary(one, 1))
    begun = time.process_time()
    for seq in range(2, 2 + APPENDS // group):
        said = [
            recorded(seq, texts[(seq * group + n) % len(texts)], is_public=(seq + n) % every == 0)
            for n in range(group)
        ]
        await asyncio.gather(
            *(
                store.append([record], summary(one, seq))
                for one, record in zip(debates, said, strict=True)
            )
        )
    return (time.process_time() - begun) * 1e6 / APPENDS


async def compared(length: int, group: int, every: int) -> tuple[float, float]:
    """Microseconds of CPU for an append, without and with the index."""
    texts = texts_of(length)
    least = [float("inf"), float("inf")]
    with tempfile.TemporaryDirectory() as folder:
        stores = [await SqliteStore.open(Path(folder) / f"{kind}.db") for kind in range(2)]
        stores[0].has_index = False
        for number in range(ROUNDS):
            for kind, store in enumerate(stores):
                used = await round_of(store, texts, group, f"r{number}", every=every)
                least[kind] = min(least[kind], used)
        for store in stores:
            await store.close()
    return least[0], least[1]


async def main() -> None:
    print("public      characters  at once   without     with  more")
    for every, name in EVERY.items():
        for length in LENGTHS:
            for group in GROUPS:
                without, with_it = await compared(length, group, every)
                share = with_it / without - 1
                line = f"{length:10}  {group:7}  {without:5.0f} µs {with_it:5.0f} µs  {share:+.0%}"
                print(f"{name:10}  {line}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
