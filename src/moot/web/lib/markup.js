// Markdown as models write it, as HTML that is safe to show.
//
// Rule 1: every character of the text is escaped before it gets here and back; only our own tags are written.
// Rule 2: no image, no raw HTML, no link but http, https and mailto. DOMPurify has the last word all the same.
// Rule 3: linear in the length of the text, whatever it is made of.
import "../vendor/purify.js";

const LONGEST = 60_000;
const LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s@]+@)/i;
const KEPT = {
  ALLOWED_TAGS: ["p", "br", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5",
    "hr", "a", "table", "thead", "tbody", "tr", "th", "td"],
  ALLOWED_ATTR: ["href", "rel", "target", "start"],
  ALLOWED_URI_REGEXP: LINK,
  ADD_URI_SAFE_ATTR: ["rel", "target", "start"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escape = (text) => text.replace(/[&<>"']/g, (c) => ESCAPES[c]);

// What may be given to innerHTML.
export function markup(text) {
  const made = text.length > LONGEST ? `<pre>${escape(text)}</pre>` : blocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);
  return globalThis.DOMPurify.sanitize(made, KEPT);
}

// The same without DOMPurify, for tests that have no DOM.
export const unpurified = (text) => blocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);

const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s{0,12})([-*+•]|\d{1,9}[.)])\s+(.*)$/;
const TABLE = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const DEEPEST = 5;

function blocks(lines, depth) {
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) { at++; continue; }
    const read = READERS.find((reader) => reader.fits(lines, at, depth)) ?? PARAGRAPH;
    at = read.take(lines, at, out, depth);
  }
  return out.join("");
}

const READERS = [
  {
    fits: (lines, at) => FENCE.test(lines[at]),
    take(lines, at, out) {
      const fence = FENCE.exec(lines[at])[1].slice(0, 3);
      let end = at + 1;
      while (end < lines.length && !lines[end].trimStart().startsWith(fence)) end++;
      out.push(`<pre><code>${escape(lines.slice(at + 1, end).join("\n"))}</code></pre>`);
      return end + 1;
    },
  },
  {
    fits: (lines, at) => HEADING.test(lines[at]),
    take(lines, at, out) {
      const [, marks, title] = HEADING.exec(lines[at]);
      const level = Math.min(5, marks.length + 2);
      out.push(`<h${level}>${inline(title)}</h${level}>`);
      return at + 1;
    },
  },
  { fits: (lines, at) => RULE.test(lines[at]), take(_lines, at, out) { out.push("<hr>"); return at + 1; } },
  {
    fits: (lines, at, depth) => depth < DEEPEST && /^ {0,3}>/.test(lines[at]),
    take(lines, at, out, depth) {
      const quoted = [];
      while (at < lines.length && /^ {0,3}>/.test(lines[at])) quoted.push(lines[at++].replace(/^ {0,3}> ?/, ""));
      out.push(`<blockquote>${blocks(quoted, depth + 1)}</blockquote>`);
      return at;
    },
  },
  {
    fits: (lines, at) => lines[at].includes("|") && TABLE.test(lines[at + 1] ?? ""),
    take(lines, at, out) {
      const head = cells(lines[at]).map((cell) => `<th>${inline(cell)}</th>`).join("");
      const rows = [];
      for (at += 2; at < lines.length && lines[at].includes("|") && lines[at].trim(); at++)
        rows.push(`<tr>${cells(lines[at]).map((cell) => `<td>${inline(cell)}</td>`).join("")}</tr>`);
      out.push(`<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`);
      return at;
    },
  },
  { fits: (lines, at, depth) => depth < DEEPEST && ITEM.test(lines[at]), take: list },
];

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

const PARAGRAPH = {
  take(lines, at, out, depth) {
    const start = at++;
    while (at < lines.length && lines[at].trim() && !READERS.some((r) => r.fits(lines, at, depth))) at++;
    out.push(`<p>${lines.slice(start, at).map((line) => inline(line.trim())).join("<br>")}</p>`);
    return at;
  },
};

function list(lines, at, out, depth) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const isNumbered = /\d/.test(mark);
  const items = [];
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (found && found[1].length <= indent.length && /\d/.test(found[2]) === isNumbered) items.push([found[3]]);
    else if (found && found[1].length <= indent.length) break;
    else if (found || /^\s{2,}\S/.test(lines[at])) items.at(-1).push(lines[at].slice(Math.min(indent.length + 2, leading(lines[at]))));
    else if (lines[at].trim() || !/^\s{2,}\S/.test(lines[at + 1] ?? "") && !continues(lines[at + 1], indent, isNumbered)) break;
    at++;
  }
  const start = isNumbered ? Number.parseInt(mark, 10) : 1;
  const tag = isNumbered ? "ol" : "ul";
  const body = items.map((item) => `<li>${itemBody(item, depth)}</li>`).join("");
  out.push(`<${tag}${start !== 1 ? ` start="${start}"` : ""}>${body}</${tag}>`);
  return at;
}

const leading = (line) => line.length - line.trimStart().length;
const continues = (line, indent, isNumbered) => {
  const found = ITEM.exec(line ?? "");
  return found !== null && found[1].length <= indent.length && /\d/.test(found[2]) === isNumbered;
};
const itemBody = (item, depth) => item.length === 1 ? inline(item[0]) : inline(item[0]) + blocks(item.slice(1), depth + 1);

// Code first, for nothing in it means anything; then links; then emphasis between what is left.
const INLINE = /(`+)([^`]+)\1|\[([^\][\n]{1,500})\]\(([^()\s]{1,2000})\)|\bhttps?:\/\/[^\s<>()[\]"'`*]{1,2000}/g;

function inline(text) {
  let out = "";
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    out += emphasis(text.slice(at, found.index)) + piece(found);
    at = found.index + found[0].length;
  }
  return out + emphasis(text.slice(at));
}

function piece([whole, ticks, code, label, target]) {
  if (ticks) return `<code>${escape(code)}</code>`;
  if (!label) return link(whole.replace(/[.,;:!?]+$/, ""), escape(whole.replace(/[.,;:!?]+$/, ""))) + escape(/[.,;:!?]*$/.exec(whole)[0]);
  return LINK.test(target) ? link(target, emphasis(label)) : emphasis(whole);
}

const link = (target, label) => `<a href="${escape(target)}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`;

// Only pairs without their own mark inside are taken, so the expressions never go back far.
const emphasis = (text) => escape(text)
  .replace(/\*\*(?=\S)([^*]{1,2000}?)(?<=\S)\*\*/g, "<strong>$1</strong>")
  .replace(/(?<![\p{L}\p{N}_])__(?=\S)([^_]{1,2000}?)(?<=\S)__(?![\p{L}\p{N}_])/gu, "<strong>$1</strong>")
  .replace(/\*(?=\S)([^*]{1,2000}?)(?<=\S)\*/g, "<em>$1</em>")
  .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_]{1,2000}?)(?<=\S)_(?![\p{L}\p{N}_])/gu, "<em>$1</em>")
  .replace(/~~(?=\S)([^~]{1,2000}?)(?<=\S)~~/g, "<del>$1</del>");
