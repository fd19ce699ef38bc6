// How it ended, before anything else: who won and by how much, why, and how far that can be relied on.
import { html } from "../lib/ui.js";
import { CARDS, Words, because, flagged, isOver, plural, ruling, toned, trusted } from "../lib/words.js";
import { courseOf, firstSentences, namedStatement } from "../lib/course.js";
import { fetched } from "../lib/fetched.js";
import { argued, isPerson, side } from "../lib/people.js";
import { Face, FaceOf, Facts, Notice } from "./bits.js";
import { Icon } from "./icons.js";
import { Prose } from "./turn.js";
import { jumpTo } from "./transcript.js";

const EARLY = new Set(["ended", "max_runtime", "max_tokens", "max_cost"]);
const LEFT_OUT = ["passed", "expired", "skipped", "partial"];
const Answered = fetched(() => import("./answered.js").then((module) => module.Answered));
const Certified = fetched(() => import("./bench.js").then((module) => module.Certified));
const Examined = fetched(() => import("./bench.js").then((module) => module.Examined));
const LETTERS = { for: "f", against: "a" };
const ONCE = "One judge, asked once.";
const PERSON = "A person decided it, and was asked once.";
const TWICE = "Asked only for the winner's name, the judge gave this one.";

// How far it can be relied on: the server's word for it, and what that means where its doubts do not say so.
export function trustIn(live) {
	const { outcome } = live.state;
	const isByPerson = isPerson(judgeOf(live));
	if (outcome.trust === "confirmed" && !isByPerson) return { word: trusted("confirmed"), told: TWICE };
	if (outcome.trust && outcome.trust !== "confirmed") return { word: trusted(outcome.trust) };
	return { word: "Asked once", told: isByPerson ? PERSON : ONCE }; // a form asks a person for the name only once
}

const judgeOf = (live) => [...live.state.participants.values()].find((one) => one.role === "judge");

// Who won, for the title ("" if nobody won for sure); and how it ended, for the foot and notifications.
export function wonBy(live) {
	const { outcome, status } = live.state;
	const isSure = status === "completed" && outcome?.winner && ["", "confirmed"].includes(outcome.trust);
	return isSure ? outcome.winner : "";
}

export function endedWith(live) {
	const { outcome } = live.state;
	if (!outcome) return "It is over";
	if (outcome.type !== "verdict") return outcome.headline;
	const { headline } = outcome;
	return outcome.winner || outcome.is_tie ? `The verdict is in: ${headline}` : `It is over: ${headline.toLowerCase()}`;
}

// `actions` stand below the outcome.
export function Outcome({ live, actions }) {
	const { outcome, status } = live.state;
	if (!isOver(status)) return null;
	const bodies = { verdict: Decided, summary: Summed, solution: Answered, certificate: Certified, exam: Examined };
	const Body = status === "canceled" ? Canceled : (bodies[outcome?.type] ?? Ended);
	const tone = outcome?.winner_id && side(live, outcome.winner_id);
	return html`
		<section class=${`card outcome ${tone || "plain"}`} aria-label=${outcome?.title || "Outcome"}>
			<${Body} live=${live} />
			${live.state.hasOpenCards && html`<div class="within"><${Cards} live=${live} /></div>`}
			<div class="actions">${actions}</div>
		</section>
	`;
}

export const Cards = ({ live }) => live.state.hasOpenCards && html`<${Notice} tone="" icon="eye">${CARDS.open}<//>`;

// For views that end without an outcome of their own.
export const Verdict = ({ live }) =>
	live.state.status === "completed" &&
	html`
		<section aria-label="Outcome">
			<p class="hint">${live.state.outcome?.headline ?? `It is over: ${because(live.state.stopReason)}.`}</p>
			<${Cards} live=${live} />
		</section>
	`;

export const Heading = ({ children }) => html`<h2 id="outcome" tabindex="-1">${children}</h2>`;

function Canceled({ live }) {
	const { statements } = live.state;
	return html`
		<div class="outcome-main bare">
			<div>
				<${Heading}>Cancelled without a verdict<//>
				<p>${statements ? `${plural(statements, "statement")} had been made.` : "Nothing had been said."}</p>
			</div>
		</div>
	`;
}

function Ended({ live }) {
	const { stopReason } = live.state;
	const doubts = live.view.value?.doubts ?? [];
	return html`
		<div class="outcome-main bare">
			<div>
				<${Heading}>The debate is over<//>
				${doubts.map((one) => html`<p key=${one}>${one}</p>`)}
				${EARLY.has(stopReason) && html`<p>${early(stopReason)}</p>`}
			</div>
		</div>
	`;
}

const early = (reason) => `It ended early: ${because(reason)}.`;

// Nobody was to win: what was summed up is the result.
function Summed({ live }) {
	const { outcome, stopReason } = live.state;
	return html`
		<div class="outcome-main">
			<${FaceOf} live=${live} id=${outcome.by_id} size="xl" />
			<div>
				<${Heading}>${outcome.headline}<//>
				${EARLY.has(stopReason) && html`<p>${early(stopReason)}</p>`}
			</div>
		</div>
		<div class="within whole"><${Prose} text=${outcome.summary} /></div>
	`;
}

function Decided({ live }) {
	const { outcome } = live.state;
	const { word, told } = trustIn(live);
	const tone = toned(outcome.trust);
	const winner = outcome.winner_id && live.person(outcome.winner_id);
	return html`
		<div class=${winner ? "outcome-main" : "outcome-main bare"}>
			${winner && html`<${Face} name=${winner.name} tone=${side(live, winner.id) || "judge"} size="xl" />`}
			<div>
				<${Heading}>${outcome.headline}<//>
				<${Premise} live=${live} winner=${winner} />
			</div>
			${outcome.scores && html`<${Final} live=${live} scores=${Object.entries(outcome.scores)} />`}
		</div>
		<dl class="decided">
			<${Why} live=${live} />
			<dt>Can it be trusted?</dt>
			<dd class="trust">
				<span class=${`pill ${tone}`}>${tone === "good" && html`<${Icon} name="check" />`}${word}</span>
				<span>${[told, ...doubtsOf(live)].filter(Boolean).join(" ")}</span>
			</dd>
		</dl>
	`;
}

function Premise({ live, winner }) {
	const { outcome, settings } = live.state;
	const isUpheld = outcome.premise_upheld;
	if (isUpheld != null)
		return html`
			<p class=${isUpheld ? "upheld" : "rejected"}>
				<b>${ruling(isUpheld)}${settings.premise ? ":" : "."}</b>
				${settings.premise && html`<span dir="auto"> “${settings.premise}”</span>`}
			</p>
		`;
	if (settings.premise) return html`<p>The premise is neither upheld nor rejected: “${settings.premise}”</p>`;
	const what = winner && argued(winner);
	return what && html`<p>${winner.name} argued ${what}.</p>`;
}

// The final scores: for on the left, against on the right; a list if there are not two.
function Final({ live, scores }) {
	const people = [...live.state.participants.values()];
	const rows = scores.map(([name, score]) => {
		const one = people.find((person) => person.name === name);
		return { name, score, side: one ? side(live, one.id) : "" };
	});
	const order = ["for", "", "bench", "against"];
	rows.sort((a, b) => order.indexOf(a.side) - order.indexOf(b.side));
	const label = rows.map((row) => `${row.name} ${row.score}`).join(", ");
	if (rows.length === 2)
		return html`
			<p class="final" role="img" aria-label=${label}>
				<span class=${LETTERS[rows[0].side] ?? ""}>${rows[0].score}</span>
				<i>to</i>
				<span class=${LETTERS[rows[1].side] ?? ""}>${rows[1].score}</span>
			</p>
		`;
	return html`<${Facts} class="all" rows=${rows.map((row) => [row.name, row.score])} />`;
}

// The judge's own words, and where they stand.
function Why({ live }) {
	const { outcome, turns } = live.state;
	const text = firstSentences(outcome.reasoning);
	if (!text) return null;
	const course = courseOf(live.state);
	const verdict = turns.findLast((turn) => turn.kind === "verdict" && !turn.isPrivate);
	const named = namedStatement(outcome.reasoning, course);
	const by = live.person(verdict?.participant ?? judgeOf(live)?.id);
	return html`
		<dt>${outcome.winner || outcome.is_tie ? "What decided it" : "What the judge said"}</dt>
		<dd>
			<div class="prose small" dir="auto"><p>“${text}”</p></div>
			<span class="sub">
				${by.name}${by.name.toLowerCase() !== by.role && `, ${by.role || "judge"}`}
				${named && html` · <${To} seq=${named.seq}>statement ${course.numbers.get(named.seq)}<//>`}
				${verdict && html` · <${To} seq=${verdict.seq}>the whole verdict<//>`}
			</span>
		</dd>
	`;
}

const To = ({ seq, children }) => html`
	<a
		href=${`#turn-${seq}`}
		onClick=${(event) => {
			event.preventDefault();
			jumpTo(seq);
		}}
	>
		${children}
	</a>
`;

// What a reader must know, in the server's words; the pill says the first words of it already.
export function doubtsOf(live) {
	const { outcome, stopReason } = live.state;
	const told = outcome.doubts
		.filter((one) => one !== CARDS.open)
		.map((one) => Words(one.replace(/^(Contested|Not confirmed): /, "")));
	if (EARLY.has(stopReason)) told.push(early(stopReason));
	const course = courseOf(live.state);
	const missing = course.statements.filter((turn) => turn.flags?.some((flag) => LEFT_OUT.includes(flag)));
	for (const turn of missing.slice(0, 3)) {
		const flag = turn.flags.find((one) => LEFT_OUT.includes(one));
		told.push(`Statement ${course.numbers.get(turn.seq)}, ${live.person(turn.participant).name}: ${flagged(flag)}.`);
	}
	if (missing.length > 3) told.push(`So were ${missing.length - 3} more.`);
	return told;
}
