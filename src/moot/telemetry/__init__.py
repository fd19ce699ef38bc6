"""Traces of what debates do, for any OTLP collector; nothing at all unless they are asked for.

`port` is what the engine knows. `spans` needs the extra `moot[tracing]` and is imported only if
traces are wanted.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from moot.errors import InvalidInput
from moot.telemetry.port import OFF, Tracing

log = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
INSTALL = "pip install 'moot[tracing]'"


def open_tracing(
    environment: Mapping[str, str], *, wanted: bool | None, has_content: bool, version: str
) -> Tracing:
    """Traces if `wanted`, or if nothing is said and the environment names a collector.

    Raises InvalidInput if they are wanted and cannot be had.
    """
    if wanted is False or not (wanted or _is_configured(environment)):
        return OFF
    try:
        from moot.telemetry.spans import SpanTracing  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        if wanted:
            message = f"traces need an extra: {INSTALL}"
            raise InvalidInput(message, field="MOOT_TRACING") from None
        # Variables that are set for all programs of a machine must not break this one.
        log.warning("no traces", extra={"error": f"they need an extra: {INSTALL}"})
        return OFF
    return SpanTracing.open(has_content=has_content, version=version)


def _is_configured(environment: Mapping[str, str]) -> bool:
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower() != "otlp":
        return False
    return any(environment.get(name, "").strip() for name in ENDPOINTS)


__all__ = ["OFF", "Tracing", "open_tracing"]
