"""Performs: runs the steps a format asks for and records what came of them.

`Service` is the only door that the command line, HTTP and libraries use.
"""

from __future__ import annotations
