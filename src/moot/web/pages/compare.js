// Two debates side by side: how each ended, what differs, what each took, and what was said at the same place.
import { html, useEffect, useState } from "../lib/ui.js";
import { aligned, differences, isShared, seatsOf, wordsIn } from "../lib/comparing.js";
import { courseOf, firstSentences } from "../lib/course.js";
import { Live } from "../lib/live.js";
import { called } from "../lib/people.js";
import { fieldsOf } from "../lib/schema.js";
import { ago, count, duration, isOver, money, ruling, toned, trusted, Words } from "../lib/words.js";
import { FaceOf, Notice, StatusPill } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { useFormat } from "../parts/panels.js";
import { partOf } from "../parts/transcript.js";
import { Prose } from "../parts/turn.js";
import { trustIn } from "../parts/verdict.js";
import { titled } from "../views/council_state.js";
import { Choose } from "./compare_choose.js";
import { Missing } from "./missing.js";

const MARKS = ["A", "B"];
const PAIRS = 30;

export function Compare({ id, other }) {
	useEffect(() => {
		document.title = "Side by side · Moot";
		return () => {
			document.title = "Moot";
		};
	}, []);
	return other && other !== id
		? html`<${Both} ids=${[id, other]} />`
		: html`<${Choose} id=${id} isSame=${other === id} />`;
}

function Both({ ids }) {
	const [lives] = useState(() => ids.map((id) => new Live(id)));
	const [shown, setShown] = useState("both");
	useEffect(() => {
		for (const live of lives) live.start();
		return () => {
			for (const live of lives) live.stop();
		};
	}, [lives]);
	const problem = lives.map((live) => live.problem.value).find(Boolean);
	if (problem) return html`<${Missing} what="debate" detail=${problem.status === 404 ? undefined : problem.detail} />`;
	const [a, b] = lives;
	if (!a.state.format || !b.state.format)
		return html`<h1 class="unseen">Side by side</h1><div class="bone block later"></div><div class="bone block"></div>`;
	const isAlike = a.state.format === b.state.format;
	return html`
		<div class=${`compare only-${shown}`}>
			<div class="page-head">
				<h1>Side by side</h1>
				<span class="spring"></span>
				<a class="btn quiet" href=${`/debates/${b.id}/with/${a.id}`}>
					<${Icon} name="swap" />
					<span>Change places</span>
				</a>
				<a class="btn quiet" href=${`/debates/${a.id}/with`}>Another debate</a>
			</div>
			<${Connections} lives=${lives} />
			<div class="pair">
				${lives.map((live, n) => html`<${Result} key=${live.id} live=${live} n=${n} other=${lives[1 - n]} />`)}
			</div>
			<${Different} lives=${lives} isAlike=${isAlike} />
			<${Figures} lives=${lives} />
			${
				isAlike
					? html`<${Said} lives=${lives} shown=${shown} onShow=${setShown} />`
					: html`
						<${Notice} icon="swap">
							A ${a.state.format} and a ${b.state.format} go different ways, so what was said is not set side by side.
							Read it on the page of each.
						<//>
					`
			}
		</div>
	`;
}

const Mark = ({ n }) => html`<span class="mark-of" role="img" aria-label=${`Debate ${MARKS[n]}`}>${MARKS[n]}</span>`;

function Connections({ lives }) {
	const isLost = lives.some((live) => live.connection.value.kind === "lost");
	return html`
		<div role="status">
			${isLost && html`<p class="notice">The connection is lost; what you see may be old. Trying again.</p>`}
		</div>
	`;
}

// --- how each ended -------------------------------------------------------------------------------

function Result({ live, n, other }) {
	const { topic, title, format, status, createdAt, rematchOf } = live.state;
	return html`
		<section class="card result" aria-label=${`Debate ${MARKS[n]}`}>
			<p class="eyebrow">
				<${Mark} n=${n} />
				${Words(format)}
				${status !== "completed" && html`<${StatusPill} status=${status} />`}
				<span class="plain">${createdAt && ago(createdAt)}</span>
				${rematchOf === other.id && html`<span class="plain">Rematch of ${MARKS[1 - n]}</span>`}
			</p>
			<h2 dir="auto"><a href=${`/debates/${live.id}`}>${title || topic}</a></h2>
			${isOver(status) ? html`<${Outcome} live=${live} />` : html`<p class="hint">It has not ended yet.</p>`}
		</section>
	`;
}

// The server's headline and its words for how far it can be relied on.
function Outcome({ live }) {
	const { outcome, status } = live.state;
	// The pill says the first word of some doubts already.
	const doubts = (outcome?.doubts ?? live.view.value?.doubts ?? []).map((one) =>
		Words(one.replace(/^(Contested|Not confirmed): /, "")),
	);
	if (status !== "completed") return html`<p class="hint">It ended without an outcome.</p>`;
	if (!outcome) return html`${doubts.map((one) => html`<p key=${one}>${one}</p>`)}`;
	const { word, told } = outcome.type === "verdict" ? trustIn(live) : { word: outcome.trust && trusted(outcome.trust) };
	const text = outcome.type === "summary" ? firstSentences(outcome.summary) : firstSentences(outcome.reasoning);
	return html`
		<p class="headline" dir="auto">${headlineOf(outcome)}</p>
		${
			word &&
			html`
				<p class="trust">
					<span class=${`pill ${toned(outcome.trust)}`}>${word}</span>
					<span class="hint">${[told, ...doubts].filter(Boolean).join(" ")}</span>
				</p>
			`
		}
		${!word && doubts.length > 0 && html`<p class="hint">${doubts.join(" ")}</p>`}
		${text && html`<blockquote dir="auto">${text}</blockquote>`}
	`;
}

const headlineOf = (outcome) =>
	(outcome.type === "solution" && !outcome.asked && titled(outcome.description).title) || outcome.headline;

// --- what differs ---------------------------------------------------------------------------------

const Table = ({ caption, rows }) => html`
	<table class="versus-table">
		<caption class="unseen">${caption}</caption>
		<thead>
			<tr>
				<td></td>
				${MARKS.map((mark, n) => html`<th scope="col" key=${mark}><${Mark} n=${n} /></th>`)}
			</tr>
		</thead>
		<tbody>
			${rows.map(
				([name, a, b]) => html`
					<tr key=${name}>
						<th scope="row" dir="auto">${name}</th>
						<td dir="auto">${a}</td>
						<td dir="auto">${b}</td>
					</tr>
				`,
			)}
		</tbody>
	</table>
`;

function Different({ lives: [a, b], isAlike }) {
	const form = useFormat(a.state.format);
	const fields = form ? fieldsOf(form.settings_schema) : [];
	const rows = differences(a.state, b.state, (name) => fields.find((one) => one.name === name)?.label ?? Words(name));
	const from = forked(a, b) ?? forked(b, a);
	return html`
		<section class="card part" aria-labelledby="different">
			<h2 id="different">What differs</h2>
			${!isAlike && html`<p class="hint">The formats differ, so their settings are not compared.</p>`}
			${from && html`<p class="hint">${from}</p>`}
			${
				rows.length
					? html`<${Table} caption="What differs" rows=${rows} />`
					: html`<p class="hint">Nothing: the question, the cast, the models and the settings are the same.</p>`
			}
		</section>
	`;
}

function forked(one, other) {
	const { forkedFrom } = one.state;
	if (forkedFrom?.debate !== other.id) return null;
	const shared = courseOf(other.state).statements.filter((turn) => turn.seq <= forkedFrom.at).length;
	return `One is a fork of the other, and goes its own way after statement ${shared}.`;
}

// --- figures --------------------------------------------------------------------------------------

function scoresOf(live) {
	const { scores } = live.state.outcome ?? {};
	const seats = [...seatsOf(live.state)];
	const seatOf = (name) => seats.findIndex(([, people]) => people.some((one) => one.name === name));
	const label = (name) => {
		const seat = seats[seatOf(name)]?.[0];
		return `Score, ${seat === "For" || seat === "Against" ? seat.toLowerCase() : name}`;
	};
	const found = Object.entries(scores ?? {}).toSorted(([a], [b]) => seatOf(a) - seatOf(b));
	return Object.fromEntries(found.map(([name, score]) => [label(name), score]));
}

function figuresOf(live) {
	const { state, usage } = live;
	const view = live.view.value;
	const last = view?.council?.rounds?.findLast((one) => one.confidence != null);
	const isUpheld = state.outcome?.premise_upheld;
	const rounds = view?.council?.rounds?.length || (state.settings.turns ? null : state.round);
	return {
		...scoresOf(live),
		Premise: isUpheld == null ? null : ruling(isUpheld),
		"Agreement, of 100": last?.confidence,
		"Quality, of 100": last?.quality,
		Rounds: rounds || null,
		Statements: state.statements || null,
		Words: count(wordsIn(state)),
		Calls: count(state.calls),
		"Tokens written": count(usage.output_tokens),
		Cost: state.calls ? money(usage.cost_usd) : null,
		Time: view?.runtime_s >= 1 ? duration(view.runtime_s) : null,
	};
}

function Figures({ lives }) {
	const [a, b] = lives.map(figuresOf);
	const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
	const rows = names.filter((name) => a[name] != null || b[name] != null);
	return html`
		<section class="card part" aria-labelledby="figures">
			<h2 id="figures">Scores, cost and length</h2>
			<${Table} caption="Scores, cost and length" rows=${rows.map((name) => [name, a[name] ?? "–", b[name] ?? "–"])} />
		</section>
	`;
}

// --- what was said --------------------------------------------------------------------------------

const SHOWN = { both: "Both", a: "A", b: "B" };

function Said({ lives, shown, onShow }) {
	const [most, setMost] = useState(PAIRS);
	const [a, b] = lives;
	let left = most;
	const parts = aligned(a.state, b.state);
	const all = parts.reduce((sum, one) => sum + one.pairs.length, 0);
	const visible = parts
		.map((part) => {
			const pairs = part.pairs.slice(0, Math.max(0, left));
			left -= pairs.length;
			return { ...part, pairs };
		})
		.filter((part) => part.pairs.length);
	return html`
		<section class="said-in-both" aria-labelledby="said">
			<div class="section-head">
				<h2 id="said">What was said</h2>
				<span class="spring"></span>
				<div class="seg" role="group" aria-label="Which debate">
					${Object.entries(SHOWN).map(
						([which, name]) => html`
							<button key=${which} aria-pressed=${shown === which} onClick=${() => onShow(which)}>${name}</button>
						`,
					)}
				</div>
			</div>
			${!all && html`<p class="hint">Nobody has spoken yet.</p>`}
			${visible.map(
				(part) => html`
					<h3 class="divider" key=${`${part.stage}/${part.round}`}><span>${partOf(a, part)}</span></h3>
					${part.pairs.map((pair) => html`<${Pair} key=${keyOf(pair)} lives=${lives} pair=${pair} />`)}
				`,
			)}
			${all > most && html`<button class="btn older" onClick=${() => setMost(most + PAIRS)}>Show more</button>`}
		</section>
	`;
}

const keyOf = (pair) => pair.map((turn) => turn?.step_key).join(" ");

function Pair({ lives, pair }) {
	if (isShared(pair))
		return html`
			<div class="pair same">
				<${Statement} live=${lives[0]} turn=${pair[0]} note="The same in both" />
			</div>
		`;
	return html`
		<div class="pair">
			${pair.map((turn, n) =>
				turn
					? html`<${Statement} key=${n} live=${lives[n]} turn=${turn} n=${n} />`
					: html`<p key=${n} class=${`nobody in-${SIDES[n]}`}>Nothing here in ${MARKS[n]}</p>`,
			)}
		</div>
	`;
}
const SIDES = ["a", "b"];

function Statement({ live, turn, n, note }) {
	const course = courseOf(live.state);
	const { score } = course.judged.get(turn.seq) ?? {};
	const points = score?.flags?.includes("hidden") ? null : score?.data?.score;
	const who = called(live, turn.participant);
	return html`
		<article
			class=${n === undefined ? "said-there" : `said-there in-${SIDES[n]}`}
			aria-label=${n === undefined ? who : `${who}, in debate ${MARKS[n]}`}
		>
			<header>
				${n !== undefined && html`<${Mark} n=${n} />`}
				<${FaceOf} live=${live} id=${turn.participant} size="s" />
				<b>${who}</b>
				<span class="spring"></span>
				${points != null && html`<span class="mark" title="Score, of 10">${points}</span>`}
				<a class="hint" href=${`/debates/${live.id}#turn-${turn.seq}`}>${note ?? "Read it there"}</a>
			</header>
			<${Prose} small text=${turn.data?.proposal || turn.content || ""} />
		</article>
	`;
}
