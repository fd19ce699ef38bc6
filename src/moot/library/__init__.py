"""Moot as a library: create, run, stream and inspect debates from a program.

For example:

    async with moot.open() as m:
        debate = await m.create("Should cities be car-free?", turns=4)
        async for turn in debate.run():
            print(turn.participant, turn.kind, turn.content)
        print(debate.outcome)

`opening` has `moot.open` and what it opens, `debate` one debate; `moot.sync` has the same verbs
without `await`. Nothing here decides anything: debates are made by `staging` and run by the
service, as for every other door. Docstrings here are what `docs/reference/python.md` says.

While a person takes part, a debate shows what people may see, as HTTP does: turns that somebody may
not know yet have the flag `hidden` and no words until the debate is over. A program that knows who
is looking uses `debate.seen_by("ada")`; if nobody who takes part is looking, it uses
`debate.unveiled()`.
"""

from __future__ import annotations

from moot.library.debate import Debate
from moot.library.opening import Moot, open_moot
from moot.library.panels import Answer, Panel

__all__ = ["Answer", "Debate", "Moot", "Panel", "open_moot"]
