"""One table has the words that people read."""

from __future__ import annotations

import json

import msgspec

from moot.protocol import format_words, vocabulary
from moot.protocol.outcomes import (
    Solution,
)
from moot.protocol.registry import FORMATS
from moot.protocol.words import Status, StepKind, StopReason


def test_it_has_words_for_every_kind_reason_and_status() -> None:
    assert set(vocabulary.KINDS) == set(StepKind)
    assert set(vocabulary.REASONS) == set(StopReason)
    assert set(vocabulary.STATUSES) == set(Status)


def test_the_page_has_the_terminals_words_for_a_score_that_is_none() -> None:
    assert vocabulary.as_data()["no_score"] == vocabulary.NO_SCORE == "no readable score"


def test_it_knows_the_parts_of_a_solution() -> None:
    fields = set(Solution.__struct_fields__)
    assert set(vocabulary.SOLUTION_PARTS) <= fields


def test_it_can_be_sent() -> None:
    data = json.loads(msgspec.json.encode(vocabulary.as_data()))
    assert data["kinds"]["speak"] == {"noun": "statement", "does": "speaks", "doing": "speaking"}
    assert data["trust"] == vocabulary.TRUST
    assert data["statuses"]["failed"] == {"label": "Failed", "tone": "bad", "is_over": False}


def test_every_format_has_plain_words_and_a_length_it_knows() -> None:
    assert set(format_words.FORMATS) == set(FORMATS)
    for name, words in format_words.FORMATS.items():
        settings = FORMATS[name].settings
        usual = getattr(settings(), words.length)
        assert words.short <= usual < words.long, name
