"""What somebody sees who opens the server's address in a browser: where everything is.

Plain HTML without script or style, so that it needs nothing the policy of all pages forbids.
"""

from __future__ import annotations

from html import escape

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from moot.api.parts import ApiParts

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Moot</title></head>
<body>
<main>
<h1>Moot is running</h1>
<p>Version {version}. This server speaks JSON and event streams; a page to watch debates on is not
part of this version.</p>
<h2>Over HTTP</h2>
<ul>
<li><a href="/api/debates">/api/debates</a>: the debates there are</li>
<li><a href="/api/formats">/api/formats</a>: the formats, their settings and diagrams</li>
<li><a href="/api/models">/api/models</a>, <a href="/api/personas">/api/personas</a></li>
<li><a href="/openapi.json">/openapi.json</a>: every call, described</li>
<li><a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a></li>
</ul>
<h2>On the command line</h2>
<pre>moot create "Should cities be car-free?" --start
moot list
moot watch ID
moot export ID --as html -o debate.html</pre>
</main>
</body>
</html>
"""


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    page = PAGE.format(version=escape(parts.version or "unknown"))

    @router.get("/", response_class=HTMLResponse)
    async def show_front() -> HTMLResponse:
        return HTMLResponse(page)

    return router
