"""Files for a debate, read from the disk: below one root, and nothing but text.

Whoever names a path is not trusted with more than that root. No link is followed, in any position;
every directory is opened from the one above it, so that nothing can be exchanged between a look
and the opening; and nothing that is no regular file is opened at all.
"""

from __future__ import annotations

from moot.context.finding import Found, read_context

__all__ = ["Found", "read_context"]
