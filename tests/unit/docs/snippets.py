"""Every piece of code in README and docs, and the shell lines in them, one by one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_LINE_GOES_ON = re.compile(r"\\\n\s*")
SHELLS = ("sh", "console", "bash")


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    page: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One command of a shell line: its own variables, and its words."""

    place: str
    variables: dict[str, str]
    words: list[str]

    @property
    def program(self) -> str:
        return self.words[0] if self.words else ""


def snippets() -> Iterator[Snippet]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            yield Snippet(
                page=str(page.relative_to(ROOT)),
                line=text.count("\n", 0, found.start()) + 1,
                language=found[2],
                text=found[3],
            )


def commands(snippet: Snippet) -> Iterator[Command]:
    """What a shell would start, pipes and `$(...)` taken apart; redirections are left out."""
    text = _LINE_GOES_ON.sub(" ", snippet.text)
    if text.startswith("$ "):  # with prompts: the other lines are what is printed
        text = "\n".join(line for line in text.splitlines() if line.startswith("$ "))
    for line in _whole_lines(text):
        for part in _parts(line):
            words = shlex.split(part, comments=True)
            given: dict[str, str] = {}
            while words and re.fullmatch(r"[A-Za-z_]\w*=.*", words[0], re.DOTALL):
                name, _, value = words.pop(0).partition("=")
                given[name] = value
            if words or given:
                yield Command(place=snippet.place, variables=given, words=_unpiped(words))


def _whole_lines(text: str) -> Iterator[str]:
    """Lines without prompts, joined while a quotation is open."""
    waiting = ""
    for line in text.splitlines():
        waiting += ("\n" if waiting else "") + line.removeprefix("$ ")
        try:
            shlex.split(waiting, comments=True)
        except ValueError:  # an open quotation: the next line belongs to it
            continue
        yield waiting
        waiting = ""
    assert not waiting, f"a quotation is never closed: {waiting}"


def _parts(line: str) -> Iterator[str]:
    """The commands of a line: what is in `$(...)`, and what pipes connect."""
    inner = re.compile(r"\$\(([^()]*)\)")
    while found := inner.search(line):
        yield from _parts(found[1])
        line = line[: found.start()] + "VALUE" + line[found.end() :]
    quoted: str | None = None
    start = 0
    for at, char in enumerate(line):
        if char in "'\"":
            quoted = None if quoted == char else quoted or char
        elif quoted is None and (char == "|" or line.startswith("&&", at)):
            yield line[start:at]
            start = at + (1 if char == "|" else 2)
    yield line[start:]


def _unpiped(words: list[str]) -> list[str]:
    """Without `> file` and `< file`."""
    kept: list[str] = []
    at = 0
    while at < len(words):
        if words[at] in (">", "<", ">>"):
            at += 2
        else:
            kept.append(words[at])
            at += 1
    return kept
