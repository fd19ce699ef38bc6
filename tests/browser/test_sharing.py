"""A read-only link: made on the page, opened by a stranger, taken back."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect
from tests.browser.opening import Provider, Server, watched

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> [click](javascript:alert(3))"
    " ![seen](https://evil.example/x.png) <iframe src=//evil.example></iframe>"
)


def test_a_stranger_reads_what_was_shared_until_it_is_taken_back(
    page: Page, browser: Browser, server: Server, provider: Provider
) -> None:
    topic = "Shall strangers read <script>alert(0)</script>?"
    provider.say(topic, lambda call: None if call.request.response_format else HOSTILE)
    debate = server.create(topic, start=True)
    page.goto(f"/debates/{debate}")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share this debate")
    dialog.get_by_role("button", name="Make a link").click()
    address = dialog.get_by_label("Link", exact=True).input_value()
    assert address.startswith(f"{server.url}/shared/")
    expect(dialog).to_contain_text("works on this computer only")

    with watched(browser, server.url) as stranger:
        stranger.page.goto(address)
        expect(stranger.page.get_by_role("heading", level=1)).to_have_text(topic)
        expect(stranger.page.locator(".turn").first).to_contain_text("<script>alert(1)</script>")
        assert stranger.page.locator("script, img, iframe, .private").count() == 0
        dialog.get_by_role("button", name="Take the link back").click()
        expect(dialog.get_by_role("button", name="Make a link")).to_be_visible()
        stranger.page.reload()
        expect(stranger.page.get_by_role("heading")).to_have_text("This link leads nowhere")
