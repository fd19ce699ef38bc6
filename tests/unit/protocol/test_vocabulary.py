"""One table has the words that people read."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.unit.protocol.talk import Talk

from moot.protocol import vocabulary
from moot.protocol.formats.council.rules import Council
from moot.protocol.outcomes import (
    Solution,
)
from moot.protocol.registry import FORMATS, worded
from moot.protocol.vocabulary import FormatWord, money
from moot.protocol.words import Status, StepKind, StopReason


def test_it_has_words_for_every_kind_reason_and_status() -> None:
    assert set(vocabulary.KINDS) == set(StepKind)
    assert set(vocabulary.REASONS) == set(StopReason)
    assert set(vocabulary.STATUSES) == set(Status)


def test_the_page_has_the_terminals_words_for_a_score_that_is_none() -> None:
    assert vocabulary.as_data(worded())["no_score"] == vocabulary.NO_SCORE == "no readable score"


def test_it_knows_the_parts_of_a_solution() -> None:
    fields = set(Solution.__struct_fields__)
    assert set(vocabulary.SOLUTION_PARTS) <= fields


def test_it_can_be_sent() -> None:
    data = json.loads(msgspec.json.encode(vocabulary.as_data(worded())))
    assert data["kinds"]["speak"] == {"noun": "statement", "does": "speaks", "doing": "speaking"}
    assert data["trust"] == vocabulary.TRUST
    assert data["statuses"]["failed"] == {"label": "Failed", "tone": "bad", "is_over": False}


def test_every_format_has_plain_words_and_a_length_it_knows() -> None:
    assert set(worded()) == set(FORMATS)
    for name, words in worded().items():
        settings = FORMATS[name].settings
        usual = getattr(settings(), words.length)
        assert words.short <= usual < words.long, name


class Variation(Council):
    name = "variation"


class Chat(Talk):
    name = "chat"
    words: FormatWord | None = FormatWord(
        name="A chat",
        end="“Tea.”",
        asks="What do they say?",
        roles=("member",),
        length="max_tokens",
        unit="token",
        short=50,
        long=2000,
    )


def test_formats_of_other_packages_come_last_and_need_no_words() -> None:
    others = {"talk": Talk(), "variation": Variation(), "chat": Chat()}
    assert worded({**FORMATS, **others}) == {**worded(), "chat": Chat.words}
    assert [*worded()][:3] == ["duel", "council", "room"]


# --- what a debate has cost -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usd", "told"),
    [(0, "free"), (0.0004, "$0.0004"), (0.0042, "$0.004"), (0.05, "$0.05"), (12.3, "$12.30")],
)
def test_a_sum_is_as_exact_as_it_matters(usd: float, told: str) -> None:
    assert money(usd) == told
