"""axe-core in a page whose context bypasses the policy; the page's own would not let it in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()


OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""Those of its rules that look at colours. A scheme changes nothing else: the only thing in the
page that depends on it is `light-dark()`."""


def serious(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """What axe-core finds that keeps somebody out; by all its rules, or by these."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("(asked) => axe.run(asked).then((r) => r.violations)", options)
    return [
        f"{one['id']}: {json.dumps([node['html'] for node in one['nodes']][:3])}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def serious_by_scheme(page: Page) -> list[str]:
    """The same for who likes it light, then for who likes it dark. Motion is reduced, so colours
    are there at once."""
    page.emulate_media(color_scheme="light")
    light = serious(page)
    page.emulate_media(color_scheme="dark")
    return [*light, *(f"dark: {one}" for one in serious(page, OF_COLOURS))]


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
