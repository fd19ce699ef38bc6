"""The texts models are sent: one file per prompt in `templates/`, and the code that fills them.

A template has named slots, `{topic}`. What goes into a slot is put there as it is and never looked
at again, so nothing a user or a model wrote can open another slot or reach an attribute.
A slot called `..._block` holds paragraphs of their own: a blank line follows them, and if they are
empty the slot vanishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from moot.errors import InvalidInput
from moot.protocol.echoes import Sentences, sentences
from moot.protocol.steps import Prompt

# A brace followed by anything but a lower-case name is text: the JSON examples in the templates.
SLOT = re.compile(r"\{([a-z][a-z_]*)\}")


@cache
def template(name: str) -> str:
    """The text of a template. One final newline belongs to the file, not to the prompt."""
    path = files(__name__).joinpath("templates", *f"{name}.txt".split("/"))
    if not path.is_file():
        message = f"there is no prompt called {name}"
        raise InvalidInput(message)
    return path.read_text(encoding="utf-8").removesuffix("\n")


@cache
def example(name: str) -> Sentences:
    """The sentences that stand for an answer in the examples of a template and of those beside it,
    since a model that was shown several may send back any of them; see `echoes`."""
    folder = name.rpartition("/")[0]
    beside = files(__name__).joinpath("templates", folder).iterdir() if folder else ()
    names = (f"{folder}/{one.name.removesuffix('.txt')}" for one in beside if one.is_file())
    return frozenset().union(*(sentences(template(one)) for one in (name, *names)))


def slots(name: str) -> frozenset[str]:
    """The slots a template has."""
    return frozenset(SLOT.findall(template(name)))


def render(prompt: Prompt) -> str:
    """The prompt's text, every slot filled. Raises InvalidInput for a slot that was not given."""
    texts = _pieces(prompt.template).copy()
    for at in range(1, len(texts), 2):
        value = prompt.slots.get(slot := texts[at])
        if value is None:
            message = f"prompt {prompt.template} needs {slot}"
            raise InvalidInput(message)
        text = value if isinstance(value, str) else render(value)
        texts[at] = f"{text}\n\n" if text and slot.endswith("_block") else text
    return "".join(texts)


@cache
def _pieces(name: str) -> list[str]:
    """A template in pieces: every second one is the name of a slot."""
    return SLOT.split(template(name))


# --- the files of a debate, as part of a prompt ---------------------------------------------------
# The same text for the same files and the same room, whoever is asked and whatever for, so that the
# beginning of a prompt never changes.

LEAST_SHOWN = 500
"""Characters of room below which a file is only named."""


def attached_block(files: Sequence[tuple[str, str]], room: int) -> str:
    """The files, quoted as data and named, with at most about `room` characters of their text; ""
    without files."""
    if not files:
        return ""
    return render(Prompt("attached", {"files": "\n\n".join(_parts(files, room))}))


def _parts(files: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
    for name, text in files:
        shown = text if len(text) <= room else _beginning(text, room)
        lines = text.count("\n") + 1
        if shown or not text:
            room -= len(shown)
            cut = "" if shown == text else f", the first {shown.count(chr(10)) + 1} are shown"
            yield f"[file {name}: {lines} lines{cut}]\n{_quoted(shown)}\n[end of file {name}]"
        else:
            yield f"[file {name}: {lines} lines, not shown here]"


def _beginning(text: str, room: int) -> str:
    """As many whole lines as there is room for, or the beginning of one that is too long."""
    if room < LEAST_SHOWN:
        return ""
    head = text[:room]
    return head[: head.rfind("\n")] if "\n" in head else head


def _quoted(text: str) -> str:
    # Only our own lines begin at the margin, so no file can end its own quotation.
    return "  " + text.replace("\n", "\n  ")
