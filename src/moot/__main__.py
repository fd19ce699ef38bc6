"""`python -m moot`, the same as the command `moot`."""

from __future__ import annotations

from moot.cli import main

if __name__ == "__main__":
    main()
