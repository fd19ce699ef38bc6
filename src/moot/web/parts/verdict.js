// How it ended, as the server tells it: a missing verdict is said to be missing.
import { html } from "../lib/ui.js";
import { CARDS, because, ruling } from "../lib/words.js";
import { tint } from "../lib/people.js";
import { Avatar } from "./bits.js";
import { Prose } from "./turn.js";

export function Verdict({ live }) {
	const { outcome, status } = live.state;
	if (status !== "completed") return null;
	const isDecided = outcome?.type === "verdict";
	return isDecided ? html`<${Decided} live=${live} />` : html`<${Ended} live=${live} />`;
}

// Nobody was to win: what was summed up stands in the transcript.
function Ended({ live }) {
	const { outcome, stopReason } = live.state;
	return html`
		<section class="verdict" aria-label="Outcome">
			<h2>${outcome?.headline ?? "The debate is over"}</h2>
			<${Cards} live=${live} />
			<p class="hint">It ended because ${because(stopReason)}.</p>
		</section>
	`;
}

export const Cards = ({ live }) => live.state.hasOpenCards && html`<p class="warning">${CARDS.open}</p>`;

function Decided({ live }) {
	const { outcome, stopReason } = live.state;
	const winner = outcome.winner_id && live.person(outcome.winner_id);
	const colour = winner ? tint(live, winner.id) : { class: "" };
	return html`
		<section class=${`verdict ${colour.class}`} style=${colour.style} aria-label=${outcome.title}>
			<p class="eyebrow">${outcome.title}</p>
			<div class="verdict-head">
				${winner && html`<${Avatar} name=${winner.name} tint=${colour} size="large" />`}
				<div>
					<h2>${outcome.headline}</h2>
					<${Premise} live=${live} />
				</div>
			</div>
			${outcome.scores && html`<${FinalScores} live=${live} scores=${Object.entries(outcome.scores)} />`}
			${outcome.doubts.map((doubt) => html`<p class="warning" key=${doubt}>${doubt}</p>`)}
			<${Cards} live=${live} />
			${outcome.reasoning && html`<${Reasons} text=${outcome.reasoning} />`}
			<p class="hint">It ended because ${because(stopReason)}.</p>
		</section>
	`;
}

function Premise({ live }) {
	const { outcome, settings } = live.state;
	const isUpheld = outcome.premise_upheld;
	if (isUpheld == null) return null;
	return html`
		<p class=${isUpheld ? "premise upheld" : "premise rejected"}>
			<b>${ruling(isUpheld)}</b>
			${settings.premise && html`<span> ${settings.premise}</span>`}
		</p>
	`;
}

const Reasons = ({ text }) => html`
	<details class="reasoning">
		<summary>The judge's reasons</summary>
		<${Prose} text=${text} />
	</details>
`;

function FinalScores({ live, scores }) {
	const people = [...live.state.participants.values()];
	const colourOf = (name) => {
		const one = people.find((person) => person.name === name);
		return one ? tint(live, one.id) : { class: "" };
	};
	return html`
		<ul class="final-scores">
			${scores.map(
				([name, score]) => html`<${FinalScore} key=${name} ...${{ name, score, colour: colourOf(name) }} />`,
			)}
		</ul>
	`;
}

export const FinalScore = ({ name, score, most = 10, colour = { class: "" } }) => html`
	<li class=${colour.class} style=${colour.style}>
		<span>${name}</span>
		<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
			<rect class="rail" width="100" height="6" />
			<rect class="fill" width=${(100 * Math.max(0, Math.min(most, score))) / most} height="6" />
		</svg>
		<b>${score}</b>
	</li>
`;
