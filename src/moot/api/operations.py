"""For whoever runs the server: is it up, can it serve, what does it do."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from moot.api import metrics
from moot.api.parts import ApiParts
from moot.api.responses import answer, documented, documented_text
from moot.api.views import HealthView


def routes(parts: ApiParts, requests: metrics.Requests) -> APIRouter:
    router = APIRouter(tags=["operations"])

    @router.get("/healthz", response_class=Response, responses=documented(HealthView))
    async def is_alive() -> Response:
        """The process is up. Asks nobody else, and needs no token."""
        return answer(HealthView(status="ok"))

    @router.get("/readyz", response_class=Response, responses=documented(HealthView))
    async def is_ready() -> Response:
        """Debates can be run: the database answers and every loop is alive; 503 if not."""
        if parts.check_ready is not None:
            await parts.check_ready()
        else:
            await parts.service.list(limit=1)
        return answer(HealthView(status="ready"))

    @router.get("/metrics", response_class=Response, responses=documented_text(metrics.MEDIA_TYPE))
    async def show_metrics() -> Response:
        """Prometheus' text format."""
        text = await metrics.render(parts, requests)
        return Response(text, media_type=metrics.MEDIA_TYPE)

    return router
