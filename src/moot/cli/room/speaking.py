"""What a member is writing, as far as it is sure to be part of what it says.

Models write labels, lines for others and SKIP, which the record does not have. Whoever watches is
shown no text that is taken back a moment later: it waits until it is known what it is.
"""

from __future__ import annotations

from moot.protocol.formats.room.rules import SpokenOrSkipped
from moot.protocol.parsing import words
from moot.protocol.speech import LONGEST_TITLE, beside_skip, is_excuse, tidy
from moot.protocol.state import DebateState
from moot.protocol.steps import Step

AROUND_LABEL = 12
"""Characters that may stand around a name and a title where both begin a line: `**[ | ]:** `."""
LEAST_NEWS = 40
PART_OF_NEWS = 50
"""A long text is looked at again when it has grown by this part of it: a look reads all of it."""


class Speaking:
    """The text of one step, which grows."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self._text = ""
        self._looked_at = 0
        self._certain = ""

    def take(self, text: str, state: DebateState) -> str:
        """What may be shown of it now, from the beginning; it only ever grows at the end."""
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
        # With so little before it, a line SKIP that may follow would take it back.
        return "" if is_excuse(said) else said

    def _may_be_echo(self) -> bool:
        """Whether all of it so far is the beginning of what counts as nothing said."""
        answer = self.step.answer
        if not isinstance(answer, SpokenOrSkipped):
            return False
        *said, _ = words(self._text) or ("",)  # the last word may not be whole
        heard = (words(answer.asked), words(answer.heard))
        return any([*one[: len(said)]] == said for one in heard if len(said) < len(one) + 1)
