// Markdown as models write it, as elements that are safe to show.
//
// Rule 1: every character of the text is escaped before a tag is written; only our own tags are written.
// Rule 2: what was written is read by the browser's own parser into a document that is never shown, and only
//         what SHOWN knows is made anew from there: no image, no raw HTML, no link but http, https and mailto.
// Rule 3: the time is linear in the length of the text, whatever the text is.
// Rule 4: the same as in exported documents; tests/markdown_cases.py has the cases.
import { h } from "./ui.js";

const LONGEST = 60_000;
const LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s@]+@)/i;
const bare = () => null;
const wide = () => ({ tabindex: 0 }); // it scrolls in itself, by keyboard too
const SHOWN = {
	...Object.fromEntries(["p", "blockquote", "ul", "li", "h3", "h4", "h5", "hr"].map((tag) => [tag, bare])),
	...Object.fromEntries(
		["br", "strong", "em", "del", "code", "thead", "tbody", "tr", "th", "td"].map((tag) => [tag, bare]),
	),
	pre: wide,
	table: wide,
	ol: (node) => ({ start: node.hasAttribute("start") ? node.start : undefined }),
	a: (node) => {
		const href = node.getAttribute("href") ?? "";
		return { href: LINK.test(href) ? href : undefined, rel: "noopener noreferrer nofollow", target: "_blank" };
	},
};

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text) => text.replace(/[&<>"']/g, (c) => ESCAPES[c]);

// `said` can turn a piece of plain text into more, such as names that stand out.
export function markup(text, said = (words) => words) {
	const clean = text.replace(/\r\n?/g, "\n").replace(/[\uE000\uE001]/g, "");
	const made = clean.length > LONGEST ? `<pre>${escape(clean)}</pre>` : blocks(clean.split("\n"), 0);
	return shown(new DOMParser().parseFromString(made, "text/html").body, said);
}

const shown = (parent, said) =>
	[...parent.childNodes].map((node) => {
		if (node.nodeType === Node.TEXT_NODE) return parent.localName === "code" ? node.data : said(node.data);
		const inside = shown(node, said);
		return SHOWN[node.localName] ? h(node.localName, SHOWN[node.localName](node), inside) : inside;
	});

// --- blocks ---------------------------------------------------------------------------------------

const FENCE = /^ {0,3}(`{3,}(?![^`]*`)|~{3,})/;
const HEADING = /^\s*(#{1,6})(?:\s+(.*?))??(?:\s+#+)?\s*$/;
const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^\s*> ?/;
const ITEM = /^(\s{0,12})([-*+]|•(?=\s)|\d{1,9}[.)])(?:\s+(?=\S)|\s*$)/;
const MARKS = /^(?:\s*(?:>|(?:[-*+•]|\d{1,9}[.)])(?=\s)))*\s*/;
const DASHES = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const DEEPEST = 5;

function blocks(lines, depth) {
	const out = [];
	let at = 0;
	while (at < lines.length) {
		if (lines[at].trim()) at = (readerOf(lines, at, depth) ?? paragraph)(lines, at, out, depth);
		else at++;
	}
	return out.join("");
}

const READERS = [
	[(lines, at) => FENCE.test(lines[at]), fence],
	[(lines, at) => HEADING.test(lines[at]), heading],
	[(lines, at) => RULE.test(lines[at]), rule],
	[(lines, at, depth) => depth < DEEPEST && QUOTE.test(lines[at]), quote],
	[isTable, table],
	[(lines, at, depth) => depth < DEEPEST && ITEM.test(lines[at]), list],
];

const readerOf = (lines, at, depth) => READERS.find(([fits]) => fits(lines, at, depth))?.[1];

function fence(lines, at, out) {
	const mark = FENCE.exec(lines[at])[1];
	const isEnd = (line) => line.trim().startsWith(mark) && !line.trim().replaceAll(mark[0], "");
	let end = at + 1;
	while (end < lines.length && !isEnd(lines[end])) end++;
	out.push(`<pre><code>${escape(lines.slice(at + 1, end).join("\n"))}</code></pre>`);
	return end + 1;
}

function heading(lines, at, out) {
	const [, marks, title = ""] = HEADING.exec(lines[at]);
	const level = Math.min(5, marks.length + 2);
	out.push(`<h${level}>${inline(title)}</h${level}>`);
	return at + 1;
}

function rule(_lines, at, out) {
	out.push("<hr>");
	return at + 1;
}

function quote(lines, at, out, depth) {
	const quoted = [];
	const goesOn = following(lines, depth);
	while (at < lines.length && (goesOn(at) || QUOTE.test(lines[at]))) quoted.push(lines[at++].replace(QUOTE, ""));
	out.push(`<blockquote>${blocks(quoted, depth + 1)}</blockquote>`);
	return at;
}

// Called for each line of a quotation or list: whether it has no mark, but continues the paragraph above.
function following(lines, depth) {
	let isOpen = false;
	let isCode = false;
	return (at) => {
		if (isOpen && lines[at].trim() && !readerOf(lines, at, depth)) return true;
		const text = lines[at].replace(MARKS, "");
		isCode = FENCE.test(text) !== isCode;
		isOpen = !isCode && text !== "" && !text.includes("|") && !readerOf([text], 0, depth);
		return false;
	};
}

function paragraph(lines, at, out, depth) {
	const start = at++;
	while (at < lines.length && lines[at].trim() && !interrupts(lines, at, depth)) at++;
	out.push(
		`<p>${inline(
			lines
				.slice(start, at)
				.map((line) => line.trim())
				.join("\n"),
		)}</p>`,
	);
	return at;
}

// What ends a paragraph. A list does only if it counts from one and its item is not empty: a year begins no list.
function interrupts(lines, at, depth) {
	const read = readerOf(lines, at, depth);
	return read === list ? /^\s*(?:[-*+•]|1[.)])\s+\S/.test(lines[at]) : read !== undefined;
}

// --- tables ---------------------------------------------------------------------------------------

const cells = (line) =>
	line
		.trim()
		.replace(/^\||(?<!\\)\|$/g, "")
		.split(/(?<!\\)\|/)
		.map((cell) => cell.trim().replaceAll("\\|", "|"));

function isTable(lines, at) {
	const dashes = lines[at + 1] ?? "";
	if (!lines[at].includes("|") || !dashes.includes("|") || !DASHES.test(dashes)) return false;
	return cells(lines[at]).length === cells(dashes).length;
}

function table(lines, at, out, depth) {
	const head = cells(lines[at]);
	const row = (texts, tag) => `<tr>${head.map((_, n) => `<${tag}>${inline(texts[n] ?? "")}</${tag}>`).join("")}</tr>`;
	const rows = [];
	for (at += 2; at < lines.length && lines[at].trim() && !readerOf(lines, at, depth); at++) rows.push(cells(lines[at]));
	const body = rows.length ? `<tbody>${rows.map((texts) => row(texts, "td")).join("")}</tbody>` : "";
	out.push(`<table><thead>${row(head, "th")}</thead>${body}</table>`);
	return at;
}

// --- lists ----------------------------------------------------------------------------------------

// What tells one list from the next: the mark itself, or what stands behind the number.
const kindOf = (mark) => (/\d/.test(mark) ? mark.at(-1) : mark);
const leading = (line) => line.length - line.trimStart().length;

function list(lines, at, out, depth) {
	const [, indent, mark] = ITEM.exec(lines[at]);
	const isNext = (line) => {
		const found = ITEM.exec(line ?? "");
		return found && found[1].length <= indent.length && kindOf(found[2]) === kindOf(mark) && !RULE.test(line);
	};
	const isInside = (line) => /\S/.test(line ?? "") && leading(line) >= indent.length + 2;
	const items = [];
	const goesOn = following(lines, depth);
	let width = 0;
	for (; at < lines.length; at++) {
		const line = lines[at];
		if (goesOn(at)) items.at(-1).push(line.slice(Math.min(width, leading(line))));
		else if (isNext(line)) {
			width = ITEM.exec(line)[0].length;
			items.push([line.slice(width)]);
		} else if (isInside(line)) items.at(-1).push(line.slice(Math.min(width, leading(line))));
		else if (!line.trim()) items.at(-1).push("");
		else break;
	}
	const first = Number.parseInt(mark, 10);
	const open = Number.isNaN(first) ? "ul" : first === 1 ? "ol" : `ol start="${first}"`;
	out.push(`<${open}>${items.map((item) => `<li>${itemBody(item, depth)}</li>`).join("")}</${open.slice(0, 2)}>`);
	return at;
}

// The text that an item begins with needs no paragraph.
const itemBody = (item, depth) => blocks(item, depth + 1).replace(/^<p>(.*?)<\/p>/s, "$1");

// --- inside a block -------------------------------------------------------------------------------

// Escapes and code first, for nothing in them means anything; then links. Each alternative is one of PIECES.
const TARGET = /<(?<angled>[^<>\n]{1,2000})>|(?<target>(?:[^()\s]|\([^()\s]{0,200}\)){1,2000})/;
const INLINE = new RegExp(
	[
		/\\(?<escaped>[!-/:-@[-`{-~])/,
		/(?<ticks>(?<!`)`+(?!`))(?<code>[^`]{1,2000}|.{1,300}?)(?<!`)\k<ticks>(?!`)/,
		new RegExp(`!?\\[(?<label>[^\\][\\n]{1,500})\\]\\((?:${TARGET.source})(?:\\s+"[^"\\n]{0,500}")?\\)`),
		/<(?<bracketed>(?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/,
		/<(?<email>[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,9})>/,
		/\b(?<bare>https?:\/\/[^\s<>()[\]"'`*]{1,2000})/,
		/(?<broken>\\?\n)/,
	]
		.map((one) => one.source)
		.join("|"),
	"gis",
);

// Finished pieces are put aside, so that emphasis can span them, and put back at the end.
function inline(text) {
	const pieces = [];
	const aside = (html) => `\uE000${pieces.push(html) - 1}\uE001`;
	const marked = text.replace(INLINE, (whole, ...rest) => piece(whole, rest.at(-1), aside));
	const whole = (made) => made.replace(/\uE000(\d+)\uE001/g, (_, n) => whole(pieces[n]));
	return whole(emphasis(escape(marked), aside));
}

function piece(whole, found, aside) {
	if (found.escaped) return aside(escape(found.escaped));
	if (found.code) return aside(`<code>${escape(unpadded(found.code.replaceAll("\n", " ")))}</code>`);
	if (found.broken) return aside("<br>");
	if (found.email) return aside(`${opening(`mailto:${found.email}`)}${escape(found.email)}</a>`);
	if (found.label) {
		const target = found.angled ?? found.target;
		return LINK.test(target) ? aside(opening(target)) + found.label + aside("</a>") : whole;
	}
	const target = (found.bracketed ?? found.bare).replace(found.bare ? /[.,;:!?]+$/ : "", "");
	if (!LINK.test(target)) return whole;
	return aside(`${opening(target)}${escape(target)}</a>`) + (found.bare?.slice(target.length) ?? "");
}

const unpadded = (code) => (/^ .* $/.test(code) && code.trim() ? code.slice(1, -1) : code);
const opening = (target) => `<a href="${escape(target)}" rel="noopener noreferrer nofollow" target="_blank">`;

// In this order: what stars mean at an end of a bold text, then bold, then the rest. Only pairs without their own
// mark inside are taken, so the expressions never backtrack far.
const EMPHASIS = [
	[/(?<=(?<!\*)\*\*)\*(?=[^\s*])([^*]{1,2000}?)(?<=\S)\*(?!\*)/g, "em"],
	[/(?<!\*)\*(?=[^\s*])([^*]{1,2000}?)(?<=\S)\*(?=\*\*(?!\*))/g, "em"],
	[/\*\*(?=[^\s*])((?:[^*]|\*(?!\*)){1,2000}?)(?<=\S)\*\*/g, "strong"],
	[/(?<![\p{L}\p{N}]_?)__(?=[^\s_])([^_]{1,2000}?)(?<=\S)__(?!_?[\p{L}\p{N}])/gu, "strong"],
	[/\*(?=[^\s*])([^*]{1,2000}?)(?<=\S)\*/g, "em"],
	[/(?<![\p{L}\p{N}_])_(?=\S)([^_]{1,2000}?)(?<=\S)_(?![\p{L}\p{N}_])/gu, "em"],
	[/~~(?=\S)([^~]{1,2000}?)(?<=\S)~~/g, "del"],
];

const emphasis = (text, aside) =>
	EMPHASIS.reduce(
		(marked, [pair, tag]) => marked.replace(pair, (_, inside) => aside(`<${tag}>${emphasis(inside, aside)}</${tag}>`)),
		text,
	);
