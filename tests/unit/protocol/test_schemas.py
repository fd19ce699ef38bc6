"""Schemas are as strict as the strictest providers want them."""

from __future__ import annotations

import pytest
from tests.unit.protocol.examples import EXAMPLES
from tests.unit.protocol.playing import play

from moot.testing.server_rules import loose_parts


@pytest.mark.parametrize("name", ["duel", "rounds", "council", "poll"])
def test_every_typed_answer_has_a_strict_schema(name: str) -> None:
    steps = [sent.step for config in EXAMPLES[name] for sent in play(config).sent.values()]
    schemas = [step.answer.schema for step in steps if step.answer.schema is not None]
    assert schemas
    assert [loose_parts(one.body) for one in schemas if loose_parts(one.body)] == []
