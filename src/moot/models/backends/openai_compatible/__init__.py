"""The wire format that most servers speak: OpenAI's chat completions, streamed and not.

`adapter` holds the connections and the deadline, `requests` write the body, `replies` and `stream`
read what comes back, `bodies` keep it within its caps, `failures` turn everything else into errors.
"""

from __future__ import annotations
