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

from moot.store.backends.sqlite import SqliteStore
from moot.testing.store_contract.samples import created, summary, turn

ROUNDS, APPENDS = 7, 480
LENGTHS = (700, 2000)
GROUPS = (1, 32)
"""How many debates are appended to at the same time, and so committed together."""
PRIVATE = 3
"""In a duel with a judge a quarter of the turns is public; here it is one of four as well."""


def text_of(chance: random.Random, length: int) -> str:
    """Words as often as in a language: a few very often, most of them seldom."""
    words = ""
    while len(words) < length:
        words += f"w{int(chance.paretovariate(0.7)) % 20_000:x} "
    return words[:length]


async def round_of(store: SqliteStore, texts: Sequence[str], group: int, name: str) -> float:
    """CPU of an append in microseconds."""
    debates = [f"{name}-{number}" for number in range(group)]
    for one in debates:
        await store.create([created()], summary(one, 1))
    begun = time.process_time()
    for seq in range(2, 2 + APPENDS // group):
        said = [turn(seq, f"s/{seq}", texts[(seq * group + n) % len(texts)]) for n in range(group)]
        await asyncio.gather(
            *(
                store.append([record], summary(one, seq))
                for one, record in zip(debates, said, strict=True)
            )
        )
    return (time.process_time() - begun) * 1e6 / APPENDS


async def compared(length: int, group: int) -> tuple[float, float]:
    """Without and with the index."""
    chance = random.Random(5)  # noqa: S311 - the same every time
    texts = [text_of(chance, length) for _ in range(300)]
    least = [float("inf"), float("inf")]
    with tempfile.TemporaryDirectory() as folder:
        stores = [await SqliteStore.open(Path(folder) / f"{kind}.db") for kind in range(2)]
        stores[0].has_index = False
        for number in range(ROUNDS):
            for kind, store in enumerate(stores):
                used = await round_of(store, texts, group, f"r{number}")
                least[kind] = min(least[kind], used)
        for store in stores:
            await store.close()
    return least[0], least[1]


async def main() -> None:
    print("characters  at once  without  with  more")
    for length in LENGTHS:
        for group in GROUPS:
            without, with_it = await compared(length, group)
            share = with_it / without - 1
            print(f"{length:10}  {group:7}  {without:4.0f} µs  {with_it:4.0f} µs  {share:+.0%}")


if __name__ == "__main__":
    asyncio.run(main())
