"""The formats. A new one is one file here and one line in `registry`."""

from __future__ import annotations
