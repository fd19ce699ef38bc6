"""`moot models`: which models there are, whether one answers, and which is used by default."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from moot.cli import complete
from moot.cli.complete import Suggesting
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup, pass_setup
from moot.cli.telling import say, tell
from moot.errors import ModelError

if TYPE_CHECKING:
    from rich.text import Text

    from moot.models.overview import Entry, Listing, Overview, Trial
    from moot.models.port import Models
    from moot.models.registry import Choice

T = TypeVar("T")

NOT_ASKED = "not tried, because it is not known to call tools"

_as_json = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")


@click.group(cls=Suggesting, invoke_without_command=True)
@_as_json
@click.pass_context
def models(ctx: click.Context, as_json: bool) -> None:
    """List the models you can use, and what others need.

    Shows which model is used when you name none, and why. Looks for keys in the environment and in
    the keyring, and for local servers on this machine: Ollama, LM Studio, vLLM and llama.cpp. The
    exit code is 0 if there is a model to use, and 4 if there is none.

    \b
    Examples:
      moot models
      moot models test openai:gpt-6-luna
      moot models use openai:gpt-6-luna
      moot models use --judge anthropic:claude-sonnet-5-5
    """
    if ctx.invoked_subcommand is not None:
        return
    found = _overview(ctx.ensure_object(Setup))
    if as_json:
        from moot.cli.view.json_lines import as_line

        print(as_line(_as_data(found)))
    else:
        print_overview(found)
    sys.exit(ExitCode.COMPLETED if found.debaters else ExitCode.FAILED)


@models.command("test")
@click.argument("name", shell_complete=complete.models)
@_as_json
@pass_setup
def test_model(setup: Setup, /, name: str, as_json: bool) -> None:
    """Send a model a few short questions, and show how it does.

    Up to three questions: whether it answers, whether it can keep to a schema, and whether it calls
    a tool. If the provider charges for calls, this costs a little. The exit code is 4 if the model
    does not answer.

    \b
    Examples:
      moot models test openai:gpt-6-luna
      moot models test ollama:qwen3:8b
      moot models test local:smollm2 --json
    """
    from moot.models.overview import try_model

    trial = _with_models(setup, lambda found: try_model(found, name))
    if as_json:
        import msgspec

        from moot.cli.view.json_lines import as_line

        print(as_line(msgspec.to_builtins(trial)))
    else:
        _print_trial(trial)
    sys.exit(ExitCode.COMPLETED if trial.is_working else ExitCode.FAILED)


@models.command("use")
@click.argument("name", required=False, shell_complete=complete.models)
@click.option(
    "--judge",
    metavar="NAME",
    help="The model for judges and moderators.",
    shell_complete=complete.models,
)
@click.option("--clear", is_flag=True, help="Forget your default models.")
@pass_setup
def use_model(setup: Setup, /, name: str | None, judge: str | None, clear: bool) -> None:
    """Set the model that is used when you name none.

    It is kept in the configuration file, config.toml. Models named in a debate, by an option or by
    the variables MOOT_MODEL, MOOT_MODEL_DEBATER and MOOT_MODEL_JUDGE take precedence. A running
    server reads the file when it is restarted.

    \b
    Examples:
      moot models use openai:gpt-6-luna
      moot models use ollama:qwen3:8b --judge openai:gpt-6-luna
      moot models use --clear
    """
    from msgspec.structs import replace

    from moot.settings import read_configuration, write_configuration

    if clear == bool(name or judge):
        raise click.UsageError("Name a model, or use --clear.")
    settings = setup.settings()
    kept = read_configuration(settings.config_path)
    if clear:
        kept = replace(kept, model="", judge="")
    else:
        full = _full_names(setup, name or "", judge or "")
        kept = replace(kept, model=full[0] or kept.model, judge=full[1] or kept.judge)
    write_configuration(settings.config_path, kept)
    say(f"Saved in {settings.config_path}.")
    _print_choices(_overview(setup))


def _full_names(setup: Setup, *names: str) -> list[str]:
    """The names as they are kept: with their provider. Raises NoModel if one can't be called."""

    async def named(found: Models) -> list[str]:
        from moot.models.registry import Registry

        if not isinstance(found, Registry):
            return list(names)
        for name in filter(None, names):
            found.get(name)
        return [found.full_name(name) if name else "" for name in names]

    return _with_models(setup, named)


def _overview(setup: Setup) -> Overview:
    async def looked(found: Models) -> Overview:
        from moot.models.overview import Overview, overview
        from moot.models.registry import Registry

        return overview(found) if isinstance(found, Registry) else Overview()

    return _with_models(setup, looked)


def _with_models(setup: Setup, work: Callable[[Models], Awaitable[T]]) -> T:
    """What `work` returns when it is given the models; no database is opened for it."""
    import asyncio

    from moot.cli.logs import set_up_logs
    from moot.wiring import open_models

    set_up_logs(is_shown=setup.shows_log)
    found = setup.models or open_models(setup.settings())

    async def worked() -> T:
        try:
            return await work(found)
        finally:
            await found.close()

    return asyncio.run(worked())


# --- what is shown -------------------------------------------------------------------------------


def print_overview(found: Overview) -> None:
    """Print which models are used, which could be, and what the others need."""
    from moot.cli.view.console import print_table

    _print_choices(found)
    usable = [one for one in found.entries if one.provider.is_usable and not one.provider.is_silent]
    if usable:
        print("\nReady to use\n")
        print_table(("provider", "default model", "what is known"), list(map(_usable, usable)))
    others = [entry.provider for entry in found.entries if entry not in usable]
    if others:
        print("\nNot ready yet\n")
        print_table(("provider", "needs"), [(one.provider, one.reason) for one in others])
    say("\nTry one with: moot models test NAME. Make one your default with: moot models use NAME.")


async def tell_choice(models: Models) -> None:
    """Say which models a server uses where none is named, and why. A ModelError is said, not
    raised."""
    import asyncio

    from moot.cli.view.console import clean
    from moot.models.overview import is_toy, toy_notice
    from moot.models.registry import Registry

    if not isinstance(models, Registry):
        return
    try:
        debaters, judges = [
            await asyncio.to_thread(models.choice, is_judge=is_judge) for is_judge in (False, True)
        ]
        notice = await asyncio.to_thread(toy_notice, models) if is_toy(debaters.model) else ""
    except ModelError as error:
        tell(clean(str(error)))
        return
    say(f"It debates with {clean(_chosen(debaters))}.")
    if judges.model != debaters.model:
        say(f"It judges with {clean(_chosen(judges))}.")
    if notice:
        say(notice)


async def mention_toy(models: Models, used: Iterable[str]) -> None:
    """Say on stderr that the embedded model is a toy, if it is among those that are used."""
    import asyncio

    from moot.models.overview import is_toy, toy_notice
    from moot.models.registry import Registry

    if isinstance(models, Registry) and any(map(is_toy, used)):
        notice = await asyncio.to_thread(toy_notice, models)
        tell(notice)


def _print_choices(found: Overview) -> None:
    from moot.cli.view.console import clean
    from moot.models.overview import is_toy

    roles = (
        ("debaters", found.debaters, found.of_debaters),
        ("judges", found.judges, found.of_judges),
    )
    for role, choice, listing in roles:
        say(f"{role:<9} {clean(_chosen(choice))}")
        if listing:
            say(f"{'':<9} {clean(_known(listing))}")
    if any(is_toy(one.model) for one in (found.debaters, found.judges) if one):
        say(f"\n{clean(found.toy_notice)}")


def _chosen(choice: Choice | None) -> str:
    return f"{choice.model} ({choice.why})" if choice else "no model to use"


def _usable(entry: Entry) -> tuple[str, Text, str]:
    from rich.text import Text

    from moot.cli.view.console import clean

    line = entry.provider
    model = line.default_model.partition(":")[2] or "name one"
    known = _known(entry.default) if entry.default else ""
    offered = f"offers {', '.join(line.models)}" if len(line.models) > 1 else ""
    said = "; ".join(part for part in (line.reason, known, offered) if part)
    return line.provider, Text(clean(model), style="bold"), said


def _known(listing: Listing) -> str:
    parts = []
    if listing.context_window:
        parts.append(f"reads {listing.context_window:,} tokens")
    if listing.output_limit:
        parts.append(f"writes {listing.output_limit:,}")
    if listing.thinks is not None:
        parts.append("thinks first" if listing.thinks else "does not think first")
    if listing.input_usd is not None and listing.output_usd is not None:
        price = f"${listing.input_usd:g} in, ${listing.output_usd:g} out for a million tokens"
        parts.append(price if listing.input_usd or listing.output_usd else "free")
    else:
        parts.append("price unknown")
    return "; ".join([", ".join(parts), *([listing.retirement] if listing.retirement else ())])


def _print_trial(trial: Trial) -> None:
    from moot.cli.view.console import clean, duration, one_line, print_table

    if not trial.is_working:
        say(f"✗ {clean(trial.model)} does not answer: {clean(trial.error)}")
        return
    say(f"✓ {clean(trial.model)} answers.\n")
    usage = trial.usage
    cost = "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.6f}"
    cost = "nothing" if usage.cost_usd == 0 else cost
    thoughts = f", {usage.thought_tokens:,} of them thoughts" if usage.thought_tokens else ""
    speed = f", {trial.tokens_per_second:g} tokens/s" if trial.tokens_per_second else ""
    room = f"; it may use {trial.allowance:,} tokens for its thoughts" if trial.allowance else ""
    has_shown = usage.thought_tokens or trial.thought
    unseen = (
        " according to what is known of it; it showed no thoughts in this test"
        if trial.thinks and not has_shown
        else ""
    )
    rows = [
        ("answer", one_line(trial.reply) or "(nothing)"),
        ("thinks first", _yes(trial.thinks) + unseen + room),
        ("keeps to a schema", _yes(trial.keeps_schema)),
        ("calls tools", _yes(trial.calls_tools) if trial.calls_tools is not None else NOT_ASKED),
        ("server refused", ", ".join(trial.refused) or "nothing"),
        ("time", f"{duration(trial.duration_ms / 1000)} in all{speed}"),
        ("tokens", f"{usage.input_tokens:,} read, {usage.output_tokens:,} written{thoughts}"),
        ("cost", cost),
    ]
    if trial.thought:
        rows.insert(1, ("thought", one_line(trial.thought)))
    print_table(("what", "result"), rows)


def _yes(value: bool | None) -> str:
    return "unknown" if value is None else ("yes" if value else "no")


def _as_data(found: Overview) -> dict[str, Any]:
    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(found)
    entries = data.pop("entries")
    return {"providers": [{**one["provider"], **(one["default"] or {})} for one in entries], **data}
