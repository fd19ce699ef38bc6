"""axe-core in a page whose context bypasses the policy; the page's own would not let it in."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()


def serious(page: Page) -> list[str]:
    """What axe-core finds that keeps somebody out."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((r) => r.violations)")
    return [
        f"{one['id']}: {json.dumps([node['html'] for node in one['nodes']][:3])}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
