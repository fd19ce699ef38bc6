"""What the package's metadata says about where the project lives, and a README that fits there.

Runs when a package is built, and imports nothing of Moot. The address is not written down anywhere:
it is MOOT_PROJECT_URL, or else the address of the git remote `origin`. With one, the metadata has
links, and README's relative links and pictures lead there. Without one there are no links, and the
long description keeps the words and drops what would be dead. No user name, password or token of a
remote's address may get into a package.
"""

from __future__ import annotations

import ipaddress
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "MOOT_PROJECT_URL"

# `git@host:owner/name.git`, as people write addresses for ssh.
_SCP = re.compile(r"(?:[^@/:]+@)?(?P<host>[^@/:]+):(?P<path>[^/\\].*)")
_PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_TAG = re.compile(r"<img\b[^>]*?\bsrc=\"(?P<target>[^\"]+)\"[^>]*>")
_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_EMPTY_ROW = re.compile(r"\|(\s*\|)+\s*")
_RULE = re.compile(r"\|(\s*:?-+:?\s*\|)+\s*")


class ProjectLinks(MetadataHookInterface):
    """Called by hatchling for the dynamic fields `readme` and `urls`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        base = project_url(os.environ, root)
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme(text, base, root)}
        metadata["urls"] = urls(base)


def project_url(environment: Mapping[str, str], root: Path) -> str:
    """Where the project lives on the web, without a slash at the end; "" if nobody knows."""
    if given := environment.get(VARIABLE, "").strip():
        if not (found := web_address(given)):
            message = (
                f"{VARIABLE} must be an address such as https://host/owner/name, not {given!r}"
            )
            raise ValueError(message)
        return found
    return web_address(_git(root, "remote", "get-url", "origin")) if _is_checkout(root) else ""


def web_address(remote: str) -> str:
    """The page of a remote: https, without credentials and `.git`; "" if there can be none."""
    found = urlsplit(remote)
    if found.scheme in ("http", "https", "ssh"):
        host, path = found.hostname or "", found.path
        port = f":{found.port}" if found.port and found.scheme != "ssh" else ""
        scheme = "http" if found.scheme == "http" else "https"
    elif "://" not in remote and (short := _SCP.fullmatch(remote)):
        scheme, host, port, path = "https", short["host"], "", short["path"]
    else:
        return ""
    path = path.strip("/").removesuffix(".git")
    return f"{scheme}://{host}{port}/{path}" if path and _is_public(host) else ""


def _is_public(host: str) -> bool:
    """Whether others may be able to reach it, too: no name or address of this machine only."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host


def _is_checkout(root: Path) -> bool:
    """Whether the repository is this project's, and not one that this folder happens to lie in."""
    top = _git(root, "rev-parse", "--show-toplevel")
    return bool(top) and Path(top).resolve() == root.resolve()


def _git(root: Path, *arguments: str) -> str:
    """What git says; "" if it is not there or has nothing to say."""
    try:
        done = subprocess.run(  # noqa: S603 - arguments of our own
            ["git", "-C", str(root), *arguments],  # noqa: S607 - whichever git there is
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def urls(base: str) -> dict[str, str]:
    """The links of the metadata."""
    if not base:
        return {}
    return {
        "Homepage": base,
        "Documentation": f"{base}/tree/HEAD/docs",
        "Changelog": f"{base}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{base}/issues",
    }


def readme(text: str, base: str, root: Path) -> str:
    """README for readers who do not have the repository. Code in fences is left as it is."""
    convert = _without_targets if not base else lambda part: _absolute(part, base, root)
    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [convert(text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, convert(text[at:])])


def _absolute(text: str, base: str, root: Path) -> str:
    def lead(match: re.Match[str]) -> str:
        target = match["target"]
        if not _is_relative(target):
            return match[0]
        kind = "tree" if (root / target.partition("#")[0]).is_dir() else "blob"
        return match[0].replace(f"({target})", f"({base}/{kind}/HEAD/{target})")

    def show(match: re.Match[str]) -> str:
        target = match["target"]
        there = f"{base}/raw/HEAD/{target}" if _is_relative(target) else target
        return match[0].replace(target, there)

    for pattern, change in ((_LINK, lead), (_PICTURE, show), (_TAG, show)):
        text = pattern.sub(change, text)
    return text


def _without_targets(text: str) -> str:
    for pattern in (_PICTURE, _TAG):
        text = pattern.sub(lambda match: "" if _is_relative(match["target"]) else match[0], text)
    text = _LINK.sub(
        lambda match: match["text"] if _is_relative(match["target"]) else match[0], text
    )
    text = re.sub(r"^[ \t]+$", "", _without_empty_tables(text), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text)


def _without_empty_tables(text: str) -> str:
    """Tables lose the rows that have nothing left in them, and vanish with the last one."""
    lines = text.split("\n")
    is_rule = [bool(_RULE.fullmatch(line)) for line in lines]
    # A header may be empty: the line after it makes it a header.
    kept = [
        line
        for line, is_next_rule in zip(lines, [*is_rule[1:], False], strict=True)
        if is_next_rule or not _EMPTY_ROW.fullmatch(line)
    ]
    out: list[str] = []
    for number, line in enumerate(kept):
        after = kept[number + 1] if number + 1 < len(kept) else ""
        if _RULE.fullmatch(line) and not after.startswith("|"):
            out.pop()
        else:
            out.append(line)
    return "\n".join(out)


def _is_relative(target: str) -> bool:
    return "://" not in target and not target.startswith(("#", "mailto:"))
