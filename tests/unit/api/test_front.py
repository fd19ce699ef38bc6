from __future__ import annotations

import re
from pathlib import Path

from tests.unit.api.serving import serving


async def test_it_leads_a_browser_to_what_is_there(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        page = await on.client.get("/")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        links = re.findall(r'href="([^"]+)"', page.text)
        assert "/api/debates" in links
        for link in links:
            assert (await on.client.get(link)).status_code == 200, link


async def test_it_needs_nothing_that_the_policy_forbids(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        page = await on.client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"<script|<style|style=|onload|<img", page.text)
