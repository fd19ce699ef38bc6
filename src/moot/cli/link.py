"""`moot link`: the address by which anybody may read one debate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moot.cli.serve import DEFAULT_HOST, DEFAULT_PORT
from moot.cli.setup import Setup, pass_setup
from moot.cli.telling import tell

if TYPE_CHECKING:
    from moot.wiring import System

USUAL = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"
HERE = (
    "It works on this computer only, while `moot serve` runs. For others, give --at the address by "
    "which they reach your server."
)
ANYBODY = "Anyone with this address can read the debate while `moot serve` runs."
PRIVATE = "It shows private plans and thoughts, too."


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--revoke", is_flag=True, help="Take the link back: it shows nothing any more.")
@click.option("--private", is_flag=True, help="Show private plans and thoughts, too.")
@click.option(
    "--at",
    "origin",
    metavar="ADDRESS",
    default=USUAL,
    show_default=True,
    help="How your server is reached.",
)
@pass_setup
def link(setup: Setup, /, debate_id: str, revoke: bool, private: bool, origin: str) -> None:
    """Make a read-only link to a debate, or show the one it has.

    Whoever opens it sees the debate as it stands: statements, scores and outcome, without plans,
    thoughts, prompts or costs. No token is needed for it, and nothing else can be reached by it.

    \b
    Examples:
      moot link k3f2
      moot link k3f2 --at https://moot.example.org
      moot link k3f2 --revoke
    """
    if revoke:
        had_one = setup.run(lambda system: _revoke(system, debate_id))
        tell("the link is revoked" if had_one else "there was no link", label="")
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
    """Where links begin, and whether only this computer gets there. Raises InvalidInput."""
    from urllib.parse import urlsplit

    from moot.api.exposure import is_loopback
    from moot.errors import InvalidInput

    found = urlsplit(address.strip())
    is_plain = found.path in ("", "/") and not (found.query or found.fragment or found.username)
    if found.scheme not in ("http", "https") or not found.hostname or not is_plain:
        message = "is no address of a server: give it as in https://moot.example.org"
        raise InvalidInput(message, field="--at")
    return f"{found.scheme}://{found.netloc}", is_loopback(found.hostname)
