"""What the rows of the tables refuse, and what they keep."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC

import pytest
from hypothesis import given, strategies as st

from moot.errors import InvalidInput
from moot.protocol.events import MessageSaid, decode
from moot.store.pages import after_of, cursor_of
from moot.store.rows import check_text, event_rows, utc
from moot.testing.store_contract.samples import record, summary

ANY_TEXT = st.text(st.characters(codec=None))


def is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)


@given(ANY_TEXT | st.text(st.sampled_from("\\u0\0\ud800")))
def test_refuses_exactly_the_text_that_some_database_cannot_keep(text: str) -> None:
    event = MessageSaid(participant="you", content=text)
    if not is_storable(text):
        with pytest.raises(InvalidInput):
            check_text(text, "text")
        with pytest.raises(InvalidInput):
            event_rows([record(1, event)], summary("d", 1), utc)
        return
    check_text(text, "text")
    ((*_, body),) = event_rows([record(1, event)], summary("d", 1), utc)
    assert decode(body) == event


@given(ANY_TEXT.filter(is_storable), st.datetimes(timezones=st.just(UTC)))
def test_makes_cursors_that_lead_back(debate_id: str, moment: object) -> None:
    of = summary(debate_id, 1, created_at=moment)
    after = after_of(cursor_of(of))
    assert (after.created_at, after.id) == (of.created_at, debate_id)


@given(st.text())
def test_reads_any_other_text_as_a_bad_cursor_or_a_good_one_but_never_fails(text: str) -> None:
    with suppress(InvalidInput):
        check_text(after_of(text).id, "id")
