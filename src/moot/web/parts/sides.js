// Where a debate stands: its stages in a line, and the two sides that face each other.
import { html, useState } from "../lib/ui.js";
import { Words, isOver, plural } from "../lib/words.js";
import { JUDGING, courseOf } from "../lib/course.js";
import { withoutVain } from "../lib/formats.js";
import { argued, called, side } from "../lib/people.js";
import { FaceOf } from "./bits.js";
import { Icon } from "./icons.js";
import { StagesDialog, useFormat } from "./panels.js";

const FEW = 5; // so many names of stages fit into one line

// "statement 4 of 6", "round 2 of 5", or nothing.
function stepOf(live) {
	const { settings, round, status, statements } = live.state;
	const isOn = status === "running" || status === "stopping" || status === "waiting";
	if (settings.turns && status === "created") return plural(settings.turns, "statement");
	if (settings.turns) return `statement ${Math.min(settings.turns, statements + (isOn ? 1 : 0))} of ${settings.turns}`;
	return settings.max_rounds && round ? `round ${round} of ${settings.max_rounds}` : "";
}

export function Steps({ live }) {
	const [isOpen, setOpen] = useState(false);
	const { format, stage, visits, status, participants } = live.state;
	const whole = useFormat(format);
	if (!whole) return html`<div class="steps"></div>`;
	const form = withoutVain(whole, participants);
	const judge = [...participants.values()].find((one) => one.role === "judge" || one.role === "moderator");
	const isReached = (name) => [...visits.keys()].some((key) => key.endsWith(`>${name}`));
	const classOf = (name) => (name !== stage && isReached(name) ? "done" : "");
	const last = form.stages.at(-1).name;
	const isSpeaking = stage && stage !== last && (stage !== form.stages[0].name || form.stages.length < 3);
	const step = isSpeaking ? stepOf(live) : "";
	return html`
		<nav class=${form.stages.length > FEW ? "steps many" : "steps"} aria-label="Stages">
			<ol>
				${form.stages.map(({ name, about }) => {
					const isNow = name === stage && !isOver(status);
					const isDone = classOf(name) === "done";
					return html`
						<li key=${name} class=${classOf(name)} aria-current=${isNow ? "step" : undefined} title=${about}>
							${isDone ? html`<${Icon} name="check" small />` : html`<span class="dot"></span>`}
							<span class="name">${Words(name)}${isNow && step ? `, ${step}` : ""}</span>
						</li>
					`;
				})}
			</ol>
			${judge && html`<span class="judge-name">${Words(judge.role)}: ${called(live, judge.id)}</span>`}
			<button
				class="btn quiet small icon"
				aria-label="Show the diagram of this format"
				title="Diagram"
				onClick=${() => setOpen(true)}
			>
				<${Icon} name="fork" />
			</button>
		</nav>
		${isOpen && html`<${StagesDialog} live=${live} onClose=${() => setOpen(false)} />`}
	`;
}

// The only strip that sticks to the top.
export function Sides({ live }) {
	const people = [...live.state.participants.values()];
	const [pro, con] = ["for", "against"].map((which) => people.filter((one) => side(live, one.id) === which));
	if (!pro.length || !con.length) return null;
	return html`
		<section class="card sides" aria-label="The two sides">
			<${Side} live=${live} people=${pro} which="for" />
			<${Tally} live=${live} pro=${pro} con=${con} />
			<${Side} live=${live} people=${con} which="against" />
		</section>
	`;
}

const SIDES = { for: "For", against: "Against" };
const FACES = 3;

function Side({ live, people, which }) {
	const [first] = people;
	const about = people.length === 1 ? argued(first) || first.title : "";
	const names = people.map((one) => called(live, one.id)).join(", ");
	return html`
		<div class=${`side ${which}`}>
			<span class="faces">
				${people.slice(0, FACES).map((one) => html`<${FaceOf} key=${one.id} live=${live} id=${one.id} />`)}
			</span>
			<div>
				<b title=${names}>${names}</b>
				<small><b>${SIDES[which]}</b>${about && html`<span> · ${about.replace(/^for /, "")}</span>`}</small>
			</div>
		</div>
	`;
}

// The latest score of each side: a judge's score says how the side stands so far.
function Tally({ live, pro, con }) {
	const { scores, turns } = live.state;
	const step = stepOf(live);
	const isHiding =
		live.view.value?.is_veiled && turns.some((turn) => turn.flags?.includes("hidden") && JUDGING.has(turn.kind));
	if (isHiding) return html`<p class="tally closed"><${Icon} name="eye" /><small>scores are hidden</small></p>`;
	const latest = ([one], rest) => rest.length === 1 && scores.findLast((score) => score.of === one.id)?.score;
	const [f, a] = [latest(pro, pro), latest(con, con)];
	const has = (score) => typeof score === "number";
	if (!has(f) && !has(a)) return html`<p class="tally bare"><small>${step || "against"}</small></p>`;
	const told = (score, [one]) => `${one.name} ${has(score) ? score : "none yet"}`;
	return html`
		<p class="tally">
			<span class="unseen">Latest scores: ${told(f, pro)}, ${told(a, con)}.</span>
			<span class="f" aria-hidden="true">${has(f) ? f : "–"}</span>
			<i aria-hidden="true">:</i>
			<span class="a" aria-hidden="true">${has(a) ? a : "–"}</span>
			<small>${step || `${courseOf(live.state).statements.length} statements`}</small>
		</p>
	`;
}
