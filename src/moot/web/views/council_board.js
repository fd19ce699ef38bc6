// Members as rows, rounds as columns. A cell opens over the board: what was proposed, what changed, what was said.
import { Fragment, html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { flagged, isOver, plural, words, Words } from "../lib/words.js";
import { firstWords } from "../lib/course.js";
import { preference } from "../lib/keep.js";
import { Dialog, FaceOf, hasNoFocus } from "../parts/bits.js";
import { Dots, Prose, Reasoning } from "../parts/turn.js";
import { wordDiff } from "./council_diff.js";
import { textOf, unmarked } from "./council_state.js";

const MEASURES = { confidence: "agreement", quality: "quality", stability: "unchanged" };
const marksChanges = preference("marks", true);

export function Board({ live, council }) {
	const { columns } = council;
	const [open, setOpen] = useState(null); // {id, number}
	const { status, round, settings, stage } = live.state;
	if (!columns.length) return null;
	const title = isOver(status) ? "How they got there" : `Round ${round} of ${settings.rounds}: ${words(stage)}`;
	return html`
		<section aria-labelledby="board">
			<div class="section-head">
				<h2 id="board">${title}</h2>
				<p class="hint">Each row is a member, each column a round. Open a cell to read it whole.</p>
			</div>
			<div class="board" tabindex="0" role="region" aria-label="Members and rounds">
				<table>
					<thead>
						<tr>
							<td></td>
							${columns.map((one) => html`<th key=${one.number} scope="col"><b>${one.title}</b>${facts(one)}</th>`)}
						</tr>
					</thead>
					<tbody>
						${council.members.map(
							(one) => html`<${Row} key=${one.id} ...${{ live, council, one }} onOpen=${setOpen} />`,
						)}
					</tbody>
				</table>
			</div>
			<${Judged} council=${council} />
			${open && html`<${Opened} live=${live} council=${council} ...${open} onGo=${setOpen} />`}
		</section>
	`;
}

const facts = ({ measures }) =>
	Object.entries(MEASURES)
		.filter(([name]) => measures?.[name] != null)
		.map(([name, label]) => ` · ${label} ${measures[name]}`);

function Judged({ council: { rounds, judge } }) {
	const judged = rounds.filter((one) => one.reasons);
	if (!judged.length) return null;
	return html`
		<details class="fold judged">
			<summary>What ${judge.name} said of each round</summary>
			${judged.map((one) => html`<p key=${one.round} dir="auto"><b>Round ${one.round}.</b> ${one.reasons}</p>`)}
		</details>
	`;
}

function Row({ live, council: { columns, satOut }, one, onOpen }) {
	const isOut = satOut.has(one.id);
	const isChosen = live.state.outcome?.decision?.winner_id === one.id;
	const cellAt = (number) => columns[number]?.cells.get(one.id);
	return html`
		<tr>
			<th scope="row">
				<${FaceOf} live=${live} id=${one.id} />
				<span class="board-name"><b>${one.name}</b><small>${isOut ? "sat out" : one.title}</small></span>
			</th>
			${columns.map(
				({ number, title }) => html`
					<${Cell}
						key=${number}
						label=${`${one.name}, ${title.toLowerCase()}`}
						cell=${cellAt(number)}
						last=${cellAt(number - 1)}
						isBest=${isChosen && number === columns.length - 1}
						onOpen=${() => onOpen({ id: one.id, number })}
						...${{ live, isOut }}
					/>
				`,
			)}
		</tr>
	`;
}

function Cell({ live, label, cell, last, isOut, isBest, onOpen }) {
	const said = cell.critiques.filter((row) => row.turn).length;
	const rise = cell.rating !== null && last?.rating != null ? cell.rating - last.rating : 0;
	const isWriting = live.writing.value.has(cell.key);
	if (!cell.text) {
		const why = cell.isHidden ? "Hidden until the end." : isOut ? "Sat out." : "Nothing yet.";
		return html`<td class="cell"><p class="hint">${isWriting ? html`Writing<${Dots} />` : why}</p></td>`;
	}
	return html`
		<td class=${`cell ${isBest ? "best" : ""}`}>
			<button onClick=${onOpen} aria-haspopup="dialog">
				<span class="unseen">${label}: </span>
				<span class="gist">${firstWords(cell.text, 400)}</span>
				<small>
					${cell.rating !== null && html`<span>${cell.rating} of 100 from the others</span>`}
					${rise !== 0 && html`<span class=${rise > 0 ? "delta" : ""}>${rise > 0 ? "+" : "−"}${Math.abs(rise)}</span>`}
					${said > 0 && html`<span>${plural(said, "critique")}</span>`}
					${cell.isKept && html`<span>kept as it was</span>`}
					${isBest && html`<span>chosen by the members</span>`}
				</small>
			</button>
		</td>
	`;
}

// --- a cell, whole --------------------------------------------------------------------------------

function Opened({ live, council, id, number, onGo }) {
	const { columns } = council;
	const cell = columns[number].cells.get(id);
	const title = `${live.person(id).name}, ${columns[number].title.toLowerCase()}`;
	const ways = useRef(null);
	// Beyond the last column there is no way on: whoever pressed that button has the one that leads back.
	useEffect(() => {
		if (hasNoFocus()) ways.current.querySelector("button")?.focus();
	}, [number]);
	const go = (at) =>
		columns[at]?.cells.get(id).text &&
		html`<button class="btn small" onClick=${() => onGo({ id, number: at })}>${columns[at].title}</button>`;
	return html`
		<${Dialog} wide title=${title} onClose=${() => onGo(null)}>
			<div class="opened">
				${cell.said && html`<${Reasoning} turn=${cell.said} />`}
				<${Changed} cell=${cell} number=${number} />
				${cell.said && html`<${Cut} turn=${cell.said} />`}
				<${Lists}
					data=${cell.said?.data}
					names=${number ? ["accepted", "rejected"] : ["reasons", "risks"]}
					nameOf=${(label) => (cell.critics.has(label) ? live.person(cell.critics.get(label)).name : label)}
				/>
				${
					cell.critiques.length > 0 &&
					html`
						<h3>What the others said of it</h3>
						${cell.critiques.map((row) => html`<${Critique} key=${row.by} live=${live} row=${row} />`)}
					`
				}
			</div>
			<div class="actions" ref=${ways}>${go(number - 1)}<span class="spring"></span>${go(number + 1)}</div>
		<//>
	`;
}

const MARKS = { same: Fragment, in: "ins", out: "del" };

function Changed({ cell, number }) {
	const { text, before, isKept } = cell;
	const old = textOf(before);
	const canMark = number > 0 && Boolean(old) && !isKept;
	const isMarked = canMark && marksChanges.value;
	const parts = useMemo(() => (isMarked ? wordDiff(unmarked(old), unmarked(text)) : null), [old, text, isMarked]);
	const isSame = isKept || parts?.every(([kind]) => kind === "same");
	return html`
		${
			canMark &&
			html`
				<label class="switch">
					<input
						type="checkbox"
						role="switch"
						checked=${marksChanges.value}
						onChange=${(event) => {
							marksChanges.value = event.target.checked;
						}}
					/>
					<span>Mark what changed</span>
				</label>
			`
		}
		${
			parts && !isSame
				? html`<p class="prose diff">${parts.map(([kind, said], n) => html`<${MARKS[kind]} key=${n}>${said}<//>`)}</p>`
				: html`<${Prose} text=${text} />`
		}
		${isSame && html`<p class="hint">Kept as it was.</p>`}
		${isMarked && !parts && html`<p class="hint">Too long to compare word by word.</p>`}
	`;
}

const Cut = ({ turn }) =>
	["truncated", "partial"]
		.filter((flag) => turn.flags?.includes(flag))
		.map((flag) => html`<p class="hint" key=${flag}>${flagged(flag)}</p>`);

function Critique({ live, row: { turn, by, key, label } }) {
	const isTyped = turn?.data && !turn.data.reason && !turn.data.is_plain;
	return html`
		<article class="critique">
			<header>
				<${FaceOf} live=${live} id=${by} size="s" />
				<b>${live.person(by).name}</b>
				${label && html`<small class="hint">as ${label}</small>`}
				<span class="spring"></span>
				${turn?.data?.rating != null && html`<span class="hint">gave it ${turn.data.rating} of 100</span>`}
			</header>
			${
				!turn
					? html`<p class="hint">${live.writing.value.has(key) ? "Being written." : "No critique."}</p>`
					: html`
						<${Reasoning} turn=${turn} />
						${
							isTyped
								? html`<${Lists} data=${turn.data} names=${["strengths", "weaknesses", "suggestions"]} />`
								: html`<${Prose} text=${turn.content ?? ""} />`
						}
						<${Cut} turn=${turn} />
					`
			}
		</article>
	`;
}

// A text without its full stop, for where the sentence goes on.
const unstopped = (text) => (text.endsWith("..") ? text : text.replace(/\.$/, ""));

const line = (entry, nameOf) => {
	if (typeof entry === "string") return entry;
	const source = entry.from ? `${unstopped(nameOf(entry.from))}: ` : "";
	return entry.why ? `${source}${unstopped(entry.point)} (${unstopped(entry.why)})` : `${source}${entry.point}`;
};

const Lists = ({ data, names, nameOf }) =>
	names
		.filter((name) => data?.[name]?.length)
		.map(
			(name) => html`
				<div class="points" key=${name}>
					<h4>${name === "rejected" ? "Not accepted" : Words(name)}</h4>
					<ul>
						${data[name].map((entry, n) => html`<li key=${n}><${Prose} text=${line(entry, nameOf)} small /></li>`)}
					</ul>
				</div>
			`,
		);
