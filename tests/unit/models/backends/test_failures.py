"""How long a provider wants to be left alone, whatever our own clock says."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from moot.models.backends.openai_compatible.failures import retry_after_s


@pytest.mark.parametrize("wrong_by_s", [0, 7200, -7200])
def test_a_date_is_meant_by_the_clock_of_who_sent_it(
    wrong_by_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = time.time()
    monkeypatch.setattr(time, "time", lambda: theirs + wrong_by_s)
    headers = {
        "Date": formatdate(theirs, usegmt=True),
        "Retry-After": formatdate(theirs + 20, usegmt=True),
    }
    assert retry_after_s(headers) == pytest.approx(20, abs=1)


def test_without_their_date_ours_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_900_000_000.0)
    headers = {"Retry-After": formatdate(1_900_000_030, usegmt=True)}
    assert retry_after_s(headers) == 30
    assert retry_after_s({**headers, "Date": "yesterday"}) == 30
