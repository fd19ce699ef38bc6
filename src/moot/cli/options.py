"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*decorators: Decorator) -> Decorator:
    """All of them as one, in the order in which the help lists them."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


wishing = together(
    click.option(
        "--effort",
        "efforts",
        multiple=True,
        metavar="[WHO=]LEVEL",
        help="How much models think first: none, minimal, low, medium or high. "
        "WHO is a role or a participant; may be repeated.",
    ),
    click.option(
        "--temperature",
        "temperatures",
        multiple=True,
        metavar="[WHO=]NUMBER",
        help="How freely models choose their words, from 0 to 2; may be repeated.",
    ),
    click.option(
        "--top-p",
        "top_ps",
        multiple=True,
        metavar="[WHO=]NUMBER",
        help="The share of likely words to choose from, up to 1; may be repeated.",
    ),
    click.option(
        "--sampling-seed",
        "sampling_seeds",
        multiple=True,
        metavar="[WHO=]NUMBER",
        help="A seed for models that can repeat themselves; may be repeated.",
    ),
)
"""What is wished of models; read by `staging.wishes`."""

modelling_some = together(
    click.option(
        "--judge-model",
        metavar="PROVIDER:NAME",
        help="A different model for the judge or moderator.",
    ),
    click.option(
        "--member-model",
        "member_models",
        multiple=True,
        metavar="WHO=PROVIDER:NAME",
        help="A different model for one participant, by name or role, or human; may be repeated.",
    ),
)
"""Models for some of those who take part; read by `staging.models_of`."""

modelling = together(
    click.option(
        "--model",
        metavar="PROVIDER:NAME",
        help="The model for every participant that is not a person.",
    ),
    modelling_some,
)
"""Which models take part; read by `staging.models_of`."""

staging = together(
    click.argument("debate", metavar="FILE|NAME|TOPIC"),
    click.option("--format", "format_", metavar="NAME", help="The format; see `moot formats`."),
    click.option("--premise", help="A claim that one side defends and the other attacks."),
    click.option("--turns", type=int, help="Statements in total, both sides together."),
    modelling,
    wishing,
    click.option(
        "--team", metavar="NAME", help="A team to sit in a council or room; see `moot teams`."
    ),
    click.option(
        "--me",
        "me",
        multiple=True,
        metavar="NAME",
        help="Take part yourself, under your own name; or the role or participant you take over.",
    ),
    click.option(
        "--as",
        "seat",
        metavar="SEAT",
        help="Where you sit, with --me: debater, pro, con, judge, moderator, member, or a name.",
    ),
    click.option("--seed", type=int, help="Draw the same personas and order as an earlier debate."),
    click.option(
        "--strict-budget",
        is_flag=True,
        help="Refuse to begin if max_cost_usd cannot be held because a price is not known.",
    ),
    click.option("--no-judge", is_flag=True, help="Hold the debate without a judge."),
    click.option(
        "--attach",
        multiple=True,
        metavar="FILE",
        help="A text file that everyone may read; may be repeated.",
    ),
    click.option(
        "--context", metavar="DIR", help="A directory of such files, with everything below it."
    ),
    click.option(
        "--allow-secret-files",
        is_flag=True,
        help="Attach files such as .env or id_rsa too, which are refused otherwise.",
    ),
    click.option(
        "--answer",
        "answers",
        multiple=True,
        metavar="TEXT",
        help="What a council is to know from the start: a fact, or a question with its answer; "
        "may be repeated.",
    ),
    click.option(
        "--set",
        "pairs",
        multiple=True,
        metavar="KEY=VALUE",
        help="Any other setting; may be repeated.",
    ),
)
"""What is to be debated, and how; read by `staging.create_debate`."""

viewing = together(
    click.option("--json", "as_json", is_flag=True, help="Print one event per line as JSON."),
    click.option("--quiet", "-q", is_flag=True, help="Print nothing but the result."),
    click.option("--hide-private", is_flag=True, help="Leave out plans, thoughts and evaluations."),
)
"""What is shown of a debate while it is held."""

summarizing = click.option(
    "--json", "as_json", is_flag=True, help="Print the debate's summary as JSON."
)
