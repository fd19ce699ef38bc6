"""HTTP: translates requests into calls of the service, and what comes back into JSON and SSE.

    app         `create_app`, which puts all of it together and describes it
    parts       what the app is given
    guards/     everything that is decided before a request reaches a route
    problems    every error as `application/problem+json`
    requests    what may be sent; strict, with bounds at both ends
    views       what is sent back
    creating, debates, room, judges, catalogue, personas, panels, operations
                the routes, one noun each
    events      Server-Sent Events, and the frames they are made of
    responses   how views become responses, and what the description says of them
    pages       the web page, which is in moot/web

Nothing here decides anything about a debate, and nothing here names a concrete store or model.
"""

from __future__ import annotations

from moot.api.app import create_app
from moot.api.guards.tokens import check_exposure
from moot.api.parts import ApiLimits, ApiParts

__all__ = ["ApiLimits", "ApiParts", "check_exposure", "create_app"]
