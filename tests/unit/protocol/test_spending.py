from __future__ import annotations

import pytest

from moot.protocol.spending import money


@pytest.mark.parametrize(
    ("usd", "told"),
    [(0, "free"), (0.0004, "$0.0004"), (0.0042, "$0.004"), (0.05, "$0.05"), (12.3, "$12.30")],
)
def test_a_sum_is_as_exact_as_it_matters(usd: float, told: str) -> None:
    assert money(usd) == told
