"""Which names we answer to.

A page of evil.example whose name suddenly resolves to 127.0.0.1 is same-origin for the browser; the
Host header is what gives it away (DNS rebinding).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.responses import Response
from starlette.types import Scope

from moot.api.exposure import LOOPBACK_HOSTS
from moot.api.problems import problem

_HOST = re.compile(rb"(\[[0-9a-fA-F:.]+\]|[0-9a-zA-Z._-]+)(?::[0-9]{1,5})?")


def check_host(allowed: frozenset[str]) -> Callable[[Scope], Response | None]:
    known = LOOPBACK_HOSTS | {name.lower() for name in allowed}

    def check(scope: Scope) -> Response | None:
        given = [value for name, value in scope["headers"] if name == b"host"]
        match = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        if match is None:
            return problem(400, "bad_host", "send exactly one Host header with a plain host name")
        name = match[1].decode().lower()
        if name in known:
            return None
        detail = f"this server does not answer to the name {name}; allow it with MOOT_ALLOWED_HOSTS"
        return problem(403, "host_not_allowed", detail)

    return check
