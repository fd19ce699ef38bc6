"""The texts models are sent: one file per prompt in `templates/`, and the code that fills them.

A template has named slots, `{topic}`. What goes into a slot is put there as it is and never looked
at again, so nothing a user or a model wrote can open another slot or reach an attribute.
A slot called `..._block` holds paragraphs of their own: a blank line follows them, and if they are
empty the slot vanishes.
"""

from __future__ import annotations

import re
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
