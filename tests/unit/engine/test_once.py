"""Ids made from keys: the same again, other for others, and like any other id."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import given, strategies as st

from moot.engine.once import HEAD, keyed, load_secret
from moot.ids import ALPHABET, LENGTH

SECRET = b"x" * 32
KEYS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=255)
BODIES = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4)


@given(key=KEYS, body=BODIES)
def test_makes_ids_like_all_others(key: str, body: dict[str, object]) -> None:
    made = keyed(SECRET, key, body).debate_id
    assert len(made) == LENGTH
    assert set(made) <= set(ALPHABET)
    assert made[0].isalpha()


@given(key=KEYS, body=BODIES)
def test_does_not_care_about_the_order_of_members(key: str, body: dict[str, object]) -> None:
    backwards = dict(reversed(body.items()))
    assert keyed(SECRET, key, body) == keyed(SECRET, key, backwards)


@given(key=KEYS, other=KEYS, body=BODIES)
def test_only_the_key_decides_the_head(key: str, other: str, body: dict[str, object]) -> None:
    one = keyed(SECRET, key, body)
    changed = keyed(SECRET, key, {**body, "more": 1})
    assert one.head == changed.head == one.debate_id[:HEAD]
    assert one.debate_id != changed.debate_id
    assert (keyed(SECRET, other, body).head == one.head) == (key == other)
    assert keyed(b"y" * 32, key, body).head != one.head


def test_a_secret_is_made_once_and_is_its_owners_only(tmp_path: Path) -> None:
    path = tmp_path / "home" / "secret"
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(load_secret, [path] * 32))
    assert len(found) == 1
    assert len(found.pop()) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
