"""The reference of environment variables as Markdown, made from the settings and the providers.

`make references` writes it to `docs/reference/environment.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from moot.models.providers import PROVIDERS, Provider
from moot.settings import BOUNDS, VARIABLES, MootSettings

INTRODUCTION = """# Environment variables

<!-- Made by `make references`; do not edit. -->

You need none of these to try Moot. One key is enough to use a provider: see
[providers](../providers/README.md).
A variable that is set to nothing counts as not set. A value that cannot be used is refused at the
start, with the name of its variable.
`moot doctor` shows what Moot made of them.
"""

ABOUT: Mapping[str, tuple[str, str]] = {
    "home": (
        (
            "The directory for the database, your personas and the configuration file; see "
            "[files](files.md). `--home` does the same."
        ),
        "the system's directory for application data",
    ),
    "database_url": (
        "Use Postgres instead of the embedded database: `postgresql://user@host/name`.",
        "`moot.db` in `MOOT_HOME`",
    ),
    "providers": (
        "[Servers of your own](../providers/openai-compatible.md), as JSON.",
        "none",
    ),
    "token": (
        (
            "Requests to `moot serve` must carry this token. Required to listen on "
            "anything but this machine."
        ),
        "none",
    ),
    "secret": (
        (
            "Makes the ids of debates that are created with an `Idempotency-Key`. All "
            "servers on one database need the same one."
        ),
        "made once, kept in `MOOT_HOME`",
    ),
    "allowed_hosts": (
        "Host names the server answers to, besides those of this machine, separated by commas.",
        "none",
    ),
    "context_root": (
        (
            "Files for debates are read only below this directory; see [context "
            "files](../how-to/context-files.md)."
        ),
        "the working directory; for the server, nothing",
    ),
    "tracing": (
        "`1` sends [traces](../how-to/tracing.md), `0` sends none whatever else is set.",
        "on if `OTEL_EXPORTER_OTLP_ENDPOINT` is set",
    ),
    "trace_content": ("`1` puts what was said into the traces.", "off"),
    "log_level": ("`DEBUG`, `INFO`, `WARNING` or `ERROR`.", "`WARNING`"),
    "trusted_proxies": (
        (
            "Addresses or networks of [reverse "
            "proxies](../how-to/run-it-for-real.md#behind-a-reverse-proxy) whose "
            "`X-Forwarded-For` and `X-Forwarded-Proto` headers count, separated by commas."
        ),
        "none",
    ),
    "grace_seconds": ("How long calls and requests may take to finish after SIGTERM.", ""),
    "provider_patience_seconds": (
        "How long to wait for a provider that does not answer, for debates that do not set it.",
        "600",
    ),
    "max_connections": (
        "Connections that the server keeps open at once.",
        "three quarters of the open files allowed, at most 4,000",
    ),
    "max_viewers": ("Event streams open at once.", ""),
    "max_debates": ("Debates that one server runs at once.", ""),
    "max_body_bytes": ("The largest request body, in bytes.", ""),
    "header_seconds": ("How long a client may take to send the headers of a request.", ""),
    "body_seconds": ("How long a client may take to send the body of a request.", ""),
    "unread_seconds": ("How long a client may leave a response unread.", ""),
    "creations_per_minute": (
        ("Debates, forks, rematches and rooms that one client may create."),
        "",
    ),
    "questions_per_minute": (
        "Questions that one client may ask [over `/v1`](../how-to/openai-api.md).",
        "",
    ),
    "model_tests_per_minute": ("Tests of models that one client may ask for.", ""),
}
"""What each setting is for, and its default where the settings themselves cannot say it."""

SERVING = tuple(name for name in BOUNDS if name != "provider_patience_seconds")

MODELS: Mapping[str, str] = {
    "MOOT_MODEL": "The model for everybody who has none of their own, as `provider:name`.",
    "MOOT_MODEL_DEBATER": "The same, for debaters and members only.",
    "MOOT_MODEL_JUDGE": "The same, for judges and moderators only.",
    "DEEPSEEK_MODEL_DEBATER": "A DeepSeek model for debaters, without `deepseek:`.",
    "DEEPSEEK_MODEL_JUDGE": "A DeepSeek model for judges, without `deepseek:`.",
}
OTHERS: Mapping[str, str] = {
    "NO_COLOR": "Set to anything: no colours in the terminal.",
    "COLUMNS": "The width of the output where it does not go to a terminal.",
    "VISUAL, EDITOR": "The editor that `moot personas edit` opens.",
    "OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": (
        "Where [traces](../how-to/tracing.md) are sent; the other `OTEL_` variables work as usual."
    ),
    "OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER": "`true`, or `none`: no traces are sent.",
    "MOOT_DEBUG": "`1` prints tracebacks of unexpected errors.",
    "MOOT_DEMO": "The debate that `make run` and `make duel` use.",
    "MOOT_FAILPOINT": "For tests: ends the process at a named place.",
}


def reference() -> str:
    parts = [
        INTRODUCTION,
        "## Moot itself\n",
        *_table(("variable", "what it does", "default"), map(_setting, _plain())),
        "## Which model is used\n",
        (
            "The order of precedence is in [choose the "
            "models](../how-to/models.md#which-model-is-used).\n"
        ),
        *_table(("variable", "what it does"), MODELS.items()),
        "## Providers and local servers\n",
        (
            "Keys can also be kept in [the system's "
            "keyring](../how-to/models.md#keys-in-the-systems-keyring).\n"
        ),
        *_table(("provider", "key", "address"), map(_provider, _called())),
        "## Limits of the server\n",
        "What they protect is explained in [limits](limits.md#set-for-a-process).\n",
        *_table(("variable", "what it does", "default", "from", "to"), map(_limit, SERVING)),
        "## Everything else\n",
        *_table(("variable", "what it does"), OTHERS.items()),
    ]
    return "\n".join(parts)


def _plain() -> list[str]:
    return [name for name in VARIABLES if name not in SERVING]


def _called() -> list[Provider]:
    return [row for row in PROVIDERS.values() if row.key_variables or row.url_variable]


def _setting(name: str) -> tuple[str, ...]:
    about, default = ABOUT[name]
    return VARIABLES[name], about, default


def _limit(name: str) -> tuple[str, ...]:
    about, default = ABOUT[name]
    values = {field.name: field.default for field in msgspec.structs.fields(MootSettings)}
    least, most = BOUNDS[name]
    return (VARIABLES[name], about, default or _number(values[name]), _number(least), _number(most))


def _provider(row: Provider) -> tuple[str, ...]:
    keys = " or ".join(f"`{name}`" for name in row.key_variables) or "none"
    wanted = keys if row.needs_key or not row.key_variables else f"{keys}, if it wants one"
    address = f"`{row.url_variable}`" if row.url_variable else ""
    usual = f"`{row.base_url}`" if row.base_url else ""
    return (row.name, wanted, ", else ".join(part for part in (address, usual) if part))


def _number(value: object) -> str:
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for first, *rest in rows:
        names = ", ".join(f"`{name}`" for name in first.split(", "))
        yield "| " + " | ".join([names, *rest]) + " |"
    yield ""


if __name__ == "__main__":
    print(reference(), end="")
