"""A line of the table: a figure and whether it meets its target, or why there is no figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class PeerFailed(Exception):
    """A peer that was to be measured did not come to the end. The text says why, in one line."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """`least` or `most` is its target; without one it is only shown."""

    name: str
    value: float | None = None
    """None where somebody failed: `failure` says who, and why."""
    unit: str = ""
    least: float | None = None
    most: float | None = None
    failure: str = ""

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "FAIL"
        if self.least is None and self.most is None:
            return ""
        is_met = (self.least is None or self.value >= self.least) and (
            self.most is None or self.value <= self.most
        )
        return "PASS" if is_met else "MISS"

    @property
    def target(self) -> str:
        if self.least is not None:
            return f">= {self.least:g}"
        return "" if self.most is None else f"<= {self.most:g}"

    @property
    def line(self) -> str:
        if self.value is None:
            return f"{self.name:<66} failed: {self.failure}"
        digits = 0 if self.value >= 1000 else 2 if self.value >= 10 else 3
        value = f"{self.value:,.{digits}f} {self.unit:<3}"
        return f"{self.name:<66}{value:>14}{self.target:>9} {self.verdict}".rstrip()


def figure(
    name: str,
    value: Callable[[], float],
    unit: str = "",
    *,
    least: float | None = None,
    most: float | None = None,
) -> Figure:
    """The figure, or a line that says who failed: one peer must not cost the whole table."""
    try:
        return Figure(name=name, value=value(), unit=unit, least=least, most=most)
    except PeerFailed as failed:
        return Figure(name=name, unit=unit, least=least, most=most, failure=str(failed))


class Attempt(Generic[T]):
    """What a measurement came to. `result` raises PeerFailed, each time, if it failed."""

    def __init__(self, measure: Callable[[], T]) -> None:
        self._result: T
        self._failure: PeerFailed | None = None
        try:
            self._result = measure()
        except PeerFailed as failed:
            self._failure = failed

    @property
    def is_failed(self) -> bool:
        return self._failure is not None

    @property
    def result(self) -> T:
        if self._failure is not None:
            raise self._failure
        return self._result


def told(figures: Iterable[Figure]) -> list[Figure]:
    """All of them, each printed as soon as it is there."""
    found = []
    for one in figures:
        print(one.line, flush=True)
        found.append(one)
    return found


def keep(path: Path, where: object, figures: Sequence[Figure], seconds: float) -> None:
    """Write the figures to `path`, and sum them up in a line."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode([where, figures])) + b"\n")
    verdicts = Counter(one.verdict for one in figures)
    failed = f"{verdicts['FAIL']} figures failed, " if verdicts["FAIL"] else ""
    print(f"\n{verdicts['MISS']} targets missed, {failed}{seconds:.0f} s, written to {path}")
