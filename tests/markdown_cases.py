"""What becomes of the Markdown that models write: the same on the page and in exported documents.

Compared after `normal`: without attributes that only one of them has, and with every heading as
`h`, whose level depends on where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

CASES: Mapping[str, str] = {
    # --- lines and paragraphs
    "a\nb": "<p>a<br>b</p>",
    "a\n\n\nb": "<p>a</p><p>b</p>",
    "a\\\nb": "<p>a<br>b</p>",
    "a  \nb": "<p>a<br>b</p>",
    "a\r\nb\rc": "<p>a<br>b<br>c</p>",
    "  a\n   b": "<p>a<br>b</p>",
    # --- emphasis
    "a **b** *c* ~~d~~ `e*`": (
        "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e*</code></p>"
    ),
    "__b__ _c_": "<p><strong>b</strong> <em>c</em></p>",
    "**b *i* c**": "<p><strong>b <em>i</em> c</strong></p>",
    "**a\nb**": "<p><strong>a<br>b</strong></p>",
    "**see [x](https://a.example) now**": (
        '<p><strong>see <a href="https://a.example">x</a> now</strong></p>'
    ),
    "***x***": "<p><em><strong>x</strong></em></p>",
    "___x___": "<p><em><strong>x</strong></em></p>",
    "2***3***4": "<p>2<em><strong>3</strong></em>4</p>",
    "***a\nb***": "<p><em><strong>a<br>b</strong></em></p>",
    "***a** b*": "<p><em><strong>a</strong> b</em></p>",
    "***a* b**": "<p><strong><em>a</em> b</strong></p>",
    "**a *b***": "<p><strong>a <em>b</em></strong></p>",
    "*a **b***": "<p><em>a <strong>b</strong></em></p>",
    "**a***": "<p><strong>a</strong>*</p>",
    "**a*b**c*": "<p><strong>a*b</strong>c*</p>",
    "*a _b* c_": "<p><em>a _b</em> c_</p>",
    "***open": "<p>***open</p>",
    "***a**": "<p>*<strong>a</strong></p>",
    "**`x`**": "<p><strong><code>x</code></strong></p>",
    "snake_case_name 2*3*4": "<p>snake_case_name 2<em>3</em>4</p>",
    "2 * 3 * 4 and ** no **": "<p>2 * 3 * 4 and ** no **</p>",
    "*open and **open": "<p>*open and **open</p>",
    r"\*a\* \_b\_ 1\. \\": r"<p>*a* _b_ 1. \</p>",
    r"C:\new": r"<p>C:\new</p>",
    # --- code
    "``a ` b``": "<p><code>a ` b</code></p>",
    "`` `a` ``": "<p><code>`a`</code></p>",
    "`**a** <b>`": "<p><code>**a** &lt;b&gt;</code></p>",
    "``` inline ``` x": "<p><code>inline</code> x</p>",
    "``` a ``` x\n\n• b": "<p><code>a</code> x</p><ul><li>b</li></ul>",
    "`open": "<p>`open</p>",
    "```\n<b>\n```": "<pre><code>&lt;b&gt;</code></pre>",
    "```py\nx = 1\n\ny\n```\nz": "<pre><code>x = 1\n\ny</code></pre><p>z</p>",
    "~~~\n```\n~~~": "<pre><code>```</code></pre>",
    "````\n```\n````": "<pre><code>```</code></pre>",
    "```\nnever closed": "<pre><code>never closed</code></pre>",
    # --- headings, rules, quotations
    "# T": "<h>T</h>",
    "#### T *i* ##\nx": "<h>T <em>i</em></h><p>x</p>",
    "#hashtag": "<p>#hashtag</p>",
    "a\n---\nb": "<p>a</p><hr><p>b</p>",
    "a\n===": "<p>a<br>===</p>",
    "* * *": "<hr>",
    "> q": "<blockquote><p>q</p></blockquote>",
    "> a\n> > b\n\nc": (
        "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>"
    ),
    "> - a\n> - b": "<blockquote><ul><li>a</li><li>b</li></ul></blockquote>",
    "> a\nb": "<blockquote><p>a<br>b</p></blockquote>",
    "> a\nb\n> c\n\nd": "<blockquote><p>a<br>b<br>c</p></blockquote><p>d</p>",
    "> > a\n> b": "<blockquote><blockquote><p>a<br>b</p></blockquote></blockquote>",
    "> a\n# b": "<blockquote><p>a</p></blockquote><h>b</h>",
    "> # a\nb": "<blockquote><h>a</h></blockquote><p>b</p>",
    "> a\n- b": "<blockquote><p>a</p></blockquote><ul><li>b</li></ul>",
    "> ```\n> a\nb": "<blockquote><pre><code>a</code></pre></blockquote><p>b</p>",
    # --- lists
    "- x\n- y\n\n1. z": "<ul><li>x</li><li>y</li></ul><ol><li>z</li></ol>",
    "x\n- y": "<p>x</p><ul><li>y</li></ul>",
    "* x\n* y": "<ul><li>x</li><li>y</li></ul>",
    "• x\n• y": "<ul><li>x</li><li>y</li></ul>",
    "1. a\n\n2. b": "<ol><li>a</li><li>b</li></ol>",
    "1) a\n2) b": "<ol><li>a</li><li>b</li></ol>",
    "3. a\n4. b": '<ol start="3"><li>a</li><li>b</li></ol>',
    "Founded in\n1986. It grew": "<p>Founded in<br>1986. It grew</p>",
    "- a\n  more": "<ul><li>a<br>more</li></ul>",
    "- a\n\n  b": "<ul><li>a<p>b</p></li></ul>",
    "- a\n  - b\n  - c\n- d": "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>",
    "1. a\n   - b\n2. c": "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>",
    "- a\n\nb": "<ul><li>a</li></ul><p>b</p>",
    "- **a**: b": "<ul><li><strong>a</strong>: b</li></ul>",
    "1. **a**\nb\n2. c": "<ol><li><strong>a</strong><br>b</li><li>c</li></ol>",
    "- ```\n  a\nb": "<ul><li><pre><code>a</code></pre></li></ul><p>b</p>",
    "* a\n\n\n\n* b": "<ul><li>a</li><li>b</li></ul>",
    "- a\n\n\n  b": "<ul><li>a<p>b</p></li></ul>",
    "- a\n-\n- b": "<ul><li>a</li><li></li><li>b</li></ul>",
    "- a\n  -": "<ul><li>a<br>-</li></ul>",
    "-": "<ul><li></li></ul>",
    "1.\n2. a": "<ol><li></li><li>a</li></ol>",
    "a\n-": "<p>a<br>-</p>",
    "•": "<p>•</p>",
    "-x": "<p>-x</p>",
    # --- tables
    "|a|b|\n|--|--|\n|1|2|": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    ),
    "a | b\n:-: | -\n1 | **2**\n\nx": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table><p>x</p>"
    ),
    "|a|b|\n|-|-|\n|1|\n|1|2|3|": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td></td></tr><tr><td>1</td><td>2</td></tr></tbody></table>"
    ),
    "|a|b|\n|-|-|\n|x\\|y|2|": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>x|y</td><td>2</td></tr></tbody></table>"
    ),
    "a | b\nc": "<p>a | b<br>c</p>",
    "|a|b|\n|-|": "<p>|a|b|<br>|-|</p>",
    # --- links
    "[x](https://a.example/?a&b)": '<p><a href="https://a.example/?a&amp;b">x</a></p>',
    '[x](https://a.example "title")': '<p><a href="https://a.example">x</a></p>',
    "[x](https://a.example/y_(z))": '<p><a href="https://a.example/y_(z)">x</a></p>',
    "[x](mailto:a@b.example)": '<p><a href="mailto:a@b.example">x</a></p>',
    "[**x**](https://a.example)": '<p><a href="https://a.example"><strong>x</strong></a></p>',
    "see https://a.example/x_y_z.": (
        '<p>see <a href="https://a.example/x_y_z">https://a.example/x_y_z</a>.</p>'
    ),
    "<https://a.example/>": '<p><a href="https://a.example/">https://a.example/</a></p>',
    "[x](<https://a.example/b c>)": '<p><a href="https://a.example/b c">x</a></p>',
    "<a.b@c.example>": '<p><a href="mailto:a.b@c.example">a.b@c.example</a></p>',
    "![i](https://a.example/i.png)": '<p><a href="https://a.example/i.png">i</a></p>',
    # --- what stays text
    "[x]()": "<p>[x]()</p>",
    "![x]()": "<p>![x]()</p>",
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>",
    "[x](JaVaScRiPt:x)": "<p>[x](JaVaScRiPt:x)</p>",
    "[x](<javascript:alert(1)>)": "<p>[x](&lt;javascript:alert(1)&gt;)</p>",
    "[x](<https://a.example/b": (
        '<p>[x](&lt;<a href="https://a.example/b">https://a.example/b</a></p>'
    ),
    "[x](//evil.example)": "<p>[x](//evil.example)</p>",
    "[x](data:text/html,1)": "<p>[x](data:text/html,1)</p>",
    "![x](data:image/png,1)": "<p>![x](data:image/png,1)</p>",
    "<javascript:alert(1)>": "<p>&lt;javascript:alert(1)&gt;</p>",
    "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
    "<script>\nalert(1)\n</script>": "<p>&lt;script&gt;<br>alert(1)<br>&lt;/script&gt;</p>",
    "<!-- x -->": "<p>&lt;!-- x --&gt;</p>",
    "&lt;b&gt; &amp; &#60;": "<p>&amp;lt;b&amp;gt; &amp;amp; &amp;#60;</p>",
    "[x][r]\n\n[r]: https://a.example": (
        '<p>[x][r]</p><p>[r]: <a href="https://a.example">https://a.example</a></p>'
    ),
    "    indented": "<p>indented</p>",
}

HOSTILE = (
    *("*a ", "**a ", "_a ", "__a", "`", "`a``b", "[", "[a](", "[a](b", "![", "![[", "]", "> "),
    *("1. ", "- \n", "  - a\n", "\\", "``` ", "~~x ", "|-", "a|b\n", "**", "*_", "<", "<a "),
    *("https://", "•", "\\\n", "***", "***a ", "**a *b***", "*a*", "__a__ ", "``` `", "[a](<b"),
    *("<a@", "<a.", "> a\nb\n", "- a\nb\n", "- a\n\n\n", "-\n", "- > "),
)
"""What takes a careless reader the square of its length."""


def normal(html: str) -> str:
    """The HTML without what only one of the renderers writes."""
    html = re.sub(r"<(/?)h[1-6]\b", r"<\1h", html)
    html = re.sub(r'\s(?!href=|start=)[a-z]+="[^"]*"', "", html)
    # Between blocks of an exported document there are line ends; in code they mean something.
    html = re.sub(r"(</(?:p|h|ul|ol|pre|table|blockquote)>|<hr>)\n", r"\1", html)
    return html.replace("&#39;", "'").replace("&#x27;", "'").replace("&quot;", '"')
