from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st

from moot.export.chart import (
    AA,
    DARK_PAGE,
    LIGHT_PAGE,
    PALETTE,
    WORDS,
    contrast,
    legible,
    tones,
    valid,
)
from moot.export.document import Speaker

COLORS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(COLORS, st.sampled_from([LIGHT_PAGE, DARK_PAGE]))
def test_makes_any_colour_legible(color: str, page: str) -> None:
    assert contrast(legible(color, page), page) >= AA


@pytest.mark.parametrize(
    "color",
    [
        *("", "#fff", "#12345", "#1234567", "#gggggg", "rebeccapurple", "#123456\n", " #123456"),
        *("red}body{display:none", "url(http://evil)", "#١٢٣٤٥٦", "</style><script>", "#000000;"),
    ],
)
def test_takes_nothing_but_six_digits_and_known_words(color: str) -> None:
    assert valid(color) is None


def test_knows_the_words_a_debate_file_may_use() -> None:
    assert valid("Teal") == "#008080"
    assert valid("#AbCdEf") == "#abcdef"
    assert all(valid(color) == color for color in WORDS.values())


def test_gives_two_who_chose_the_same_colour_different_ones() -> None:
    one = Speaker(id="a", name="A", number=1, color="#2f6f9f")
    other = msgspec.structs.replace(one, id="b", number=2)
    found = tones([one, other])
    assert found[1] != found[2]


def test_gives_everybody_a_colour_when_the_palette_is_used_up() -> None:
    many = [Speaker(id=str(n), name=str(n), number=n) for n in range(1, 3 * len(PALETTE))]
    assert len(tones(many)) == len(many)
