"""axe-core in a page whose context bypasses the policy; the page's own would not let it in."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()


def serious(page: Page) -> list[str]:
    """What axe-core finds that keeps somebody out."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((r) => r.violations)")
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
    return [*light, *(f"dark: {one}" for one in serious(page))]


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
