"""Titles of settings: every one has its own, and none is the name of a field."""

from __future__ import annotations

import msgspec
import pytest

from moot.api.catalogue import TITLES, title, titled
from moot.protocol.registry import FORMATS


@pytest.mark.parametrize("name", FORMATS)
def test_every_setting_of_a_format_has_a_title_of_its_own(name: str) -> None:
    schema = titled(msgspec.json.schema(FORMATS[name].settings))
    root = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    titles = [one["title"] for one in root["properties"].values()]
    assert len(set(titles)) == len(titles)
    assert all("_" not in one and one[:1].isupper() for one in titles)


def test_what_is_for_some_is_named_after_what_is_for_all() -> None:
    assert title("max_tokens_judge") == "Longest reply, in tokens (judges)"
    assert title("top_p_judge") == "Top p (judges)"


def test_no_title_is_for_a_setting_that_is_gone() -> None:
    known = {one for form in FORMATS.values() for one in form.settings.__struct_fields__}
    assert set(TITLES) <= known
