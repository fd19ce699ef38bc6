"""Colours of the cast. A log's own are used only as `#rrggbb`, and only once made legible."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from moot.export.document import Speaker

LIGHT_PAGE, DARK_PAGE = "#f5f2ea", "#1f2024"
"""The tinted surfaces of `style.css`, a little harder to read on than its page."""
AA = 4.5
"""WCAG 2.2, 1.4.3: contrast of text with its background."""

PALETTE = ("#1f6f8b", "#b0492f", "#5b6470", "#6d5aa8", "#3d7a4b", "#9a6a14", "#a63f6e", "#43648f")

# The colour words a debate file may use, which a log then contains.
WORDS = {
    "black": "#000000",
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "white": "#ffffff",
    "maroon": "#800000",
    "red": "#ff0000",
    "purple": "#800080",
    "fuchsia": "#ff00ff",
    "green": "#008000",
    "lime": "#00ff00",
    "olive": "#808000",
    "yellow": "#ffff00",
    "navy": "#000080",
    "blue": "#0000ff",
    "teal": "#008080",
    "aqua": "#00ffff",
    "orange": "#ffa500",
    "cyan": "#00ffff",
}

_HEX = re.compile(r"#[0-9a-f]{6}")
_TOO_CLOSE = 48
_STEPS = 20

Rgb = tuple[int, int, int]


class Tones(msgspec.Struct, frozen=True):
    """One participant's colour on the light and on the dark page."""

    light: str
    dark: str


def tones(speakers: Iterable[Speaker]) -> dict[int, Tones]:
    """A legible colour for everyone, by number; no two alike while the palette lasts."""
    taken: list[Rgb] = []
    found: dict[int, Tones] = {}
    for speaker in speakers:
        own = valid(speaker.color)
        choices = [own, *PALETTE] if own else list(PALETTE)
        color = next((one for one in choices if _is_free(_rgb(one), taken)), choices[0])
        taken.append(_rgb(color))
        found[speaker.number] = Tones(legible(color, LIGHT_PAGE), legible(color, DARK_PAGE))
    return found


def valid(color: str) -> str | None:
    """The colour as `#rrggbb`, or None if it is neither that nor one of `WORDS`."""
    lower = color.lower()
    return lower if _HEX.fullmatch(lower) else WORDS.get(lower)


def legible(color: str, page: str) -> str:
    """The nearest mix of the colour with black or white that reads on the page."""
    target: Rgb = (0, 0, 0) if _luminance(_rgb(page)) > 0.5 else (255, 255, 255)  # noqa: PLR2004 - half
    for step in range(_STEPS + 1):
        mixed = _mix(_rgb(color), target, step / _STEPS)
        if contrast(mixed, page) >= AA:
            return mixed
    return "#000000" if target == (0, 0, 0) else "#ffffff"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    dark, light = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))))
    return (light + 0.05) / (dark + 0.05)


def _rgb(color: str) -> Rgb:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _mix(color: Rgb, target: Rgb, share: float) -> str:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, target, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _is_free(color: Rgb, taken: list[Rgb]) -> bool:
    return all(
        sum(abs(a - b) for a, b in zip(color, one, strict=True)) >= _TOO_CLOSE for one in taken
    )


def _luminance(color: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004 - sRGB
