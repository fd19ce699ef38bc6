"""Where a provider is reached, with which key, and how its dialect differs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One OpenAI-compatible server.

    `provider` is for messages and logs. `extra` is merged into every request's body.
    `max_tokens_field` is for models whose names begin with a match of the pattern `own_names`, if
    there is one; all others get `max_tokens`. `key_variable` is where the key was read, so that an
    error can say what to set. The key, and headers, which may hold one, are never shown: not in
    repr, logs or errors.
    """

    provider: str
    base_url: str
    api_key: str = ""
    headers: Mapping[str, str] = {}
    max_tokens_field: str = "max_tokens"
    own_names: str = ""
    schema_support: Literal["json_schema", "json_object", "none"] = "json_schema"
    stream_usage: bool = True
    extra: Mapping[str, Any] = {}
    max_concurrent: int = 64
    key_variable: str = ""

    @property
    def key_name(self) -> str:
        """The environment variable a person would set, such as `DEEPSEEK_API_KEY`."""
        return self.key_variable or f"{self.provider.upper().replace('-', '_')}_API_KEY"

    def tokens_field(self, model: str) -> str:
        """The parameter that bounds the length of what this model writes."""
        return self.max_tokens_field if _is_own(self.own_names, model) else "max_tokens"

    @property
    def shown_url(self) -> str:
        """The base URL without user, password and query, which may be secrets too."""
        return re.sub(r"//[^/@]*@", "//", self.base_url).partition("?")[0]

    def __repr__(self) -> str:
        return f"Endpoint(provider={self.provider!r}, base_url={self.shown_url!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("provider", self.provider), ("base_url", self.shown_url)]


@lru_cache(maxsize=1024)
def _is_own(pattern: str, model: str) -> bool:
    return re.match(pattern, model) is not None
