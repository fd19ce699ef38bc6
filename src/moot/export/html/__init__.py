"""The debate as one self-contained HTML file: no script, no request, all text escaped.

`tags` is the only module that writes a tag, also for what models wrote, `turns` shows turns and how
it came out, `chart` draws the scores, `page` puts it together, `style.css` is the one style sheet,
allowed by its hash.
"""

from __future__ import annotations

from moot.export.html.page import as_html

__all__ = ["as_html"]
