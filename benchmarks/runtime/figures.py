"""A figure, and whether it is what was asked for."""

from __future__ import annotations

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """`least` or `most` is its target."""

    name: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def verdict(self) -> str:
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
        digits = 0 if self.value >= 1000 else 2 if self.value >= 10 else 3
        value = f"{self.value:,.{digits}f} {self.unit:<3}"
        return f"{self.name:<66}{value:>14}{self.target:>9} {self.verdict}".rstrip()
