// Members as rows, rounds as columns. A cell is opened to read proposal, critiques and refinement side by side.
import { Fragment, html, useMemo, useState } from "../lib/ui.js";
import { flagged, plural, Words } from "../lib/words.js";
import { preference } from "../lib/keep.js";
import { tinted } from "../lib/people.js";
import { Face } from "../parts/bits.js";
import { Dots, Prose, Reasoning } from "../parts/turn.js";
import { wordDiff } from "./council_diff.js";
import { MEASURES } from "./council_chart.js";
import { textOf } from "./council_state.js";

const marksChanges = preference("marks", true);

export function Board({ live, council }) {
	const { members, rounds, satOut } = council;
	const [chosen, setChosen] = useState({ id: members[0].id, number: 1 });
	const round = rounds[chosen.number - 1] ?? rounds[0];
	return html`
		<section class="board" aria-label="Rounds">
			<h2 class="divider"><span>Rounds</span></h2>
			<div class="board-scroll" tabindex="0" role="region" aria-label="Members and rounds">
				<table style=${{ "--columns": rounds.length }}>
					<thead>
						<tr>
							<td></td>
							${rounds.map(
								(one) => html`
									<th key=${one.number} scope="col">
										<span>Round ${one.number}</span>
										<${Facts} measures=${one.measures} />
									</th>
								`,
							)}
						</tr>
					</thead>
					<tbody>
						${members.map(
							(one) => html`
								<tr key=${one.id} class=${satOut.has(one.id) ? "out" : ""}>
									<th scope="row">
										<${Face} live=${live} id=${one.id} />
										<span>
											${one.name}
											${satOut.has(one.id) && html`<small>sat out</small>`}
										</span>
									</th>
									${rounds.map(
										({ number, cells }) => html`
											<td key=${number}>
												<${Cell}
													live=${live}
													one=${one}
													number=${number}
													cell=${cells.get(one.id)}
													isOut=${satOut.has(one.id)}
													isChosen=${chosen.id === one.id && round.number === number}
													onChoose=${() => setChosen({ id: one.id, number })}
												/>
											</td>
										`,
									)}
								</tr>
							`,
						)}
					</tbody>
				</table>
			</div>
			<${Detail} live=${live} one=${live.person(chosen.id)} round=${round} cell=${round.cells.get(chosen.id)} />
			${
				round.reasons &&
				html`<p class="hint judged"><b>${council.judge.name} on round ${round.number}.</b> ${round.reasons}</p>`
			}
		</section>
	`;
}

const Facts = ({ measures }) => html`
	<small>
		${Object.entries(MEASURES)
			.filter(([name]) => measures[name] !== null)
			.map(([name, label]) => `${label} ${measures[name]}`)
			.join(" · ")}
	</small>
`;

const gist = (text) =>
	text
		.slice(0, 600)
		.replace(/[*_#`>\s]+/g, " ")
		.trim();

function Cell({ live, one, number, cell, isOut, isChosen, onChoose }) {
	const isRefining = live.writing.value.has(cell.key);
	const shown = cell.isKept ? cell.position : (cell.refinement ?? cell.position);
	const said = cell.critiques.filter((row) => row.turn);
	const rated = said.map((row) => row.turn.data?.rating).filter((rating) => rating != null);
	const facts = [
		said.length && plural(said.length, "critique"),
		rated.length && `rated ${Math.round(rated.reduce((a, b) => a + b, 0) / rated.length)}`,
		cell.isKept ? "kept as it was" : cell.refinement && "refined",
	].filter(Boolean);
	if (!shown)
		return html`
			<p class="cell none">
				${isOut ? "sat out" : live.state.status === "running" ? html`proposing<${Dots} />` : "nothing"}
			</p>
		`;
	return html`
		<button class=${`cell ${isChosen ? "on" : ""}`} aria-pressed=${isChosen} onClick=${onChoose}>
			<span class="cell-round">${one.name}, round ${number}</span>
			${" "}
			<span class="cell-text">${gist(textOf(shown))}</span>
			${" "}
			<span class="cell-facts">
				${facts.join(" · ")}
				${isRefining && html` · refining<${Dots} />`}
			</span>
		</button>
	`;
}

function Detail({ live, one, round, cell }) {
	return html`
		<div ...${tinted(live, one.id, "trio")} role="group" aria-label=${`${one.name} in round ${round.number}`}>
			<header>
				<h3>${one.name}, round ${round.number}</h3>
				<label class="switch">
					<input
						type="checkbox"
						role="switch"
						checked=${marksChanges.value}
						onChange=${(event) => {
							marksChanges.value = event.target.checked;
						}}
					/>
					<i></i>
					<span>Mark changes</span>
				</label>
			</header>
			<div class="trio-in">
				<section aria-label="Proposal">
					<h4>${round.number === 1 ? "Proposal" : "Went in with"}</h4>
					${
						cell.position
							? html`
								${round.number === 1 && html`<${Reasoning} turn=${cell.position} />`}
								<${Prose} text=${textOf(cell.position)} />
								<${Cut} turn=${cell.position} />
								${round.number === 1 && html`<${Lists} data=${cell.position.data} names=${["reasons", "risks"]} />`}
							`
							: html`<p class="told">Nothing.</p>`
					}
				</section>
				<section aria-label="Critiques">
					<h4>Critiques</h4>
					${cell.critiques.map((row) => html`<${Critique} key=${row.by} live=${live} row=${row} />`)}
				</section>
				<section aria-label="Refinement">
					<h4>Refinement</h4>
					${
						cell.isKept
							? html`<${Prose} text=${textOf(cell.position)} /><p class="told">Kept as it was.</p>`
							: cell.refinement
								? html`
								<${Reasoning} turn=${cell.refinement} />
								<${Changed} before=${cell.position} after=${cell.refinement} />
								<${Cut} turn=${cell.refinement} />
								<${Lists}
									data=${cell.refinement.data}
									names=${["accepted", "rejected"]}
									people=${peopleOf(live, cell)}
								/>
							`
								: html`<p class="told">${live.writing.value.has(cell.key) ? "Being written…" : "None yet."}</p>`
					}
				</section>
			</div>
		</div>
	`;
}

// Words are compared, not how they are set.
const unmarked = (text) => text.replace(/\*\*|__|`|^#{1,6} /gm, "");

const MARKS = { same: Fragment, in: "ins", out: "del" };

function Changed({ before, after }) {
	const [old, now] = [before ? textOf(before) : "", textOf(after)];
	const isMarked = marksChanges.value && Boolean(old);
	const parts = useMemo(() => (isMarked ? wordDiff(unmarked(old), unmarked(now)) : null), [old, now, isMarked]);
	if (!parts)
		return html`<${Prose} text=${now} />${isMarked && html`<p class="told">Too long to compare word by word.</p>`}`;
	if (parts.every(([kind]) => kind === "same")) return html`<${Prose} text=${now} /><p class="told">Unchanged.</p>`;
	return html`
		<p class="diff">
			${parts.map(([kind, text], n) => html`<${MARKS[kind]} key=${n}>${text}<//>`)}
		</p>
	`;
}

const Cut = ({ turn }) =>
	["truncated", "partial"]
		.filter((flag) => turn.flags?.includes(flag))
		.map((flag) => html`<p class="told" key=${flag}>${flagged(flag)}</p>`);

function Critique({ live, row }) {
	const { turn } = row;
	const isTyped = turn?.data && !turn.data.reason && !turn.data.is_plain;
	return html`
		<article ...${tinted(live, row.by, "critique")}>
			<header>
				<b>
					${live.person(row.by).name}
					${row.label && html` <small>${row.label}</small>`}
				</b>
				${turn?.data?.rating != null && html`<span class="score">${turn.data.rating}<small>/100</small></span>`}
			</header>
			${turn && html`<${Reasoning} turn=${turn} />`}
			${
				!turn
					? html`<p class="told">${live.writing.value.has(row.key) ? "Being written…" : "None."}</p>`
					: isTyped
						? html`<${Lists} data=${turn.data} names=${["strengths", "weaknesses", "suggestions"]} />`
						: html`<${Prose} text=${turn.content ?? ""} />`
			}
			${turn && html`<${Cut} turn=${turn} />`}
		</article>
	`;
}

// Authors know their critics by labels only; readers know them all.
const peopleOf = (live, cell) => new Map(cell.critiques.map((row) => [row.label, live.person(row.by).name]));

// Without its full stop, where the sentence goes on.
const unstopped = (text) => (text.endsWith("..") ? text : text.replace(/\.$/, ""));

const line = (entry, people) => {
	if (typeof entry === "string") return entry;
	const by = people?.get(entry.from) ?? entry.from;
	const source = by ? `${unstopped(by)}: ` : "";
	return entry.why ? `${source}${unstopped(entry.point)} (${unstopped(entry.why)})` : `${source}${entry.point}`;
};

const Lists = ({ data, names, people }) =>
	names
		.filter((name) => data?.[name]?.length)
		.map(
			(name) => html`
				<div class="points" key=${name}>
					<h5>${name === "rejected" ? "Not accepted" : Words(name)}</h5>
					<ul>
						${data[name].map((entry, n) => html`<li key=${n}>${line(entry, people)}</li>`)}
					</ul>
				</div>
			`,
		);
