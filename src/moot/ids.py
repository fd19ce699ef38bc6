"""Random identifiers. Nothing here is guessable, and nothing here is used inside the protocol."""

from __future__ import annotations

import secrets

# Crockford's alphabet: no i, l, o, u, so that an id can be read aloud and typed.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 16


def new_id() -> str:
    """Nearly 80 random bits as sixteen lower-case characters, the first always a letter."""
    head = secrets.choice(ALPHABET[10:])
    # Drawn together, since each draw is a system call. A byte has eight times 32 values, so that
    # no character is likelier than another.
    rest = secrets.token_bytes(LENGTH - 1)
    return head + "".join(ALPHABET[byte % len(ALPHABET)] for byte in rest)


def new_seed() -> int:
    """A seed for the draws of one debate; small enough to be typed again after `--seed`."""
    return secrets.randbelow(2**31)
