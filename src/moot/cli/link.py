"""`moot link`: the address by which anybody may read one debate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moot.cli.options import Setup, debate_id as by_id, pass_setup
from moot.cli.serve import DEFAULT_HOST, DEFAULT_PORT
from moot.cli.telling import tell

if TYPE_CHECKING:
    from moot.wiring import System

USUAL = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"
HERE = (
    "It works only on this computer, while `moot serve` runs. For other people, use --at with the "
    "address of your server."
)
ANYBODY = "Anyone with this address can read the debate while `moot serve` runs."
PRIVATE = "It also shows private plans and thoughts."


@click.command()
@by_id
@click.option("--revoke", is_flag=True, help="Revoke the link, so that it no longer works.")
@click.option("--private", is_flag=True, help="Also show private plans and thoughts.")
@click.option(
    "--at",
    "origin",
    metavar="ADDRESS",
    default=USUAL,
    show_default=True,
    help="The address of your server.",
)
@pass_setup
def link(setup: Setup, /, debate_id: str, revoke: bool, private: bool, origin: str) -> None:
    """Make a read-only link to a debate, or show its link.

    Anyone who opens the link sees the debate as it stands: statements, scores and outcome, without
    plans, thoughts, prompts or costs. They need no token, and can see nothing else.

    \b
    Examples:
      moot link k3f2
      moot link k3f2 --at https://moot.example.org
      moot link k3f2 --revoke
    """
    if revoke:
        had_one = setup.run(lambda system: _revoke(system, debate_id))
        tell("the link is revoked" if had_one else "there was no link to revoke", label="")
        return
    base, is_local = _origin(origin)
    token = setup.run(lambda system: _share(system, debate_id, private=private))
    print(f"{base}/shared/{token}", flush=True)
    tell(" ".join([HERE if is_local else ANYBODY, *([PRIVATE] if private else [])]), label="")


async def _share(system: System, prefix: str, *, private: bool) -> str:
    service = system.service
    return (await service.links.share(await service.find(prefix), private=private)).token


async def _revoke(system: System, prefix: str) -> bool:
    return await system.service.links.revoke(await system.service.find(prefix))


def _origin(address: str) -> tuple[str, bool]:
    """What links begin with, and whether only this computer can reach it. Raises InvalidInput."""
    from urllib.parse import urlsplit

    from moot.api.guards.tokens import is_loopback
    from moot.errors import InvalidInput

    found = urlsplit(address.strip())
    is_plain = found.path in ("", "/") and not (found.query or found.fragment or found.username)
    if found.scheme not in ("http", "https") or not found.hostname or not is_plain:
        message = "must be the address of a server, such as https://moot.example.org"
        raise InvalidInput(message, field="--at")
    return f"{found.scheme}://{found.netloc}", is_loopback(found.hostname)
