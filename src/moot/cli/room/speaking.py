"""What a member is writing, as far as it is certain to become part of what it says.

Models write labels, lines for others and SKIP, none of which are recorded. Whoever watches is shown
no text that would be taken back a moment later: text is held until it is known what it is.
"""

from __future__ import annotations

from moot.protocol.formats.room.rules import SpokenOrSkipped
from moot.protocol.parsing import words
from moot.protocol.speech import LONGEST_TITLE, beside_skip, is_excuse, tidy
from moot.protocol.state import DebateState
from moot.protocol.steps import Step

AROUND_LABEL = 12
"""How many characters can stand around a name and a title at the start of a line: `**[ | ]:** `."""
LEAST_NEWS = 40
PART_OF_NEWS = 50
"""A long text is looked at again once it has grown by a fiftieth: each look reads all of it."""


class Speaking:
    """The growing text of one step."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self._text = ""
        self._looked_at = 0
        self._certain = ""

    def take(self, text: str, state: DebateState) -> str:
        """What may be shown of the text now, from its beginning; it only ever grows at the end."""
        self._text += text
        news = len(self._text) - self._looked_at
        if news >= max(LEAST_NEWS, len(self._text) // PART_OF_NEWS) or "\n" in text:
            self._looked_at = len(self._text)
            found = self._found(state)
            self._certain = found if found.startswith(self._certain) else self._certain
        return self._certain

    def _found(self, state: DebateState) -> str:
        speaker = state.participants.get(self.step.participant)
        if speaker is None or self._may_be_echo():
            return ""
        roster = state.participants.values()
        longest = max(len(one.label) for one in roster) + AROUND_LABEL
        before, _, line = self._text.rpartition("\n")
        if line.lstrip(" *_").startswith("["):  # with a title that the model makes up
            whole = len(line.partition("]")[0]) + AROUND_LABEL
            longest = max(longest, min(whole, longest + LONGEST_TITLE))
        text = self._text if len(line) > longest else before
        said = beside_skip(tidy(text, speaker, roster, self.step.kind).text.rstrip())
        # After so little text, a line SKIP that may still follow would take it back.
        return "" if is_excuse(said) else said

    def _may_be_echo(self) -> bool:
        """Whether the text may become an echo of what the member was asked or has just heard, which
        counts as nothing said."""
        answer = self.step.answer
        if not isinstance(answer, SpokenOrSkipped):
            return False
        *said, _ = words(self._text) or ("",)  # the last word may not be whole
        heard = (words(answer.asked), words(answer.heard))
        return any([*one[: len(said)]] == said for one in heard if len(said) < len(one) + 1)
