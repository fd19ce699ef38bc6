// What was answered and counted. A short answer is in the headline already.
import { html } from "../lib/ui.js";
import { OF_TIE, PARTS, toned, trusted } from "../lib/words.js";
import { Prose } from "./turn.js";
import { Heading, doubtsOf } from "./verdict.js";

export function Answered({ live }) {
	const { outcome } = live.state;
	const { headline, answer, description, counts, counted, decision, status, trust } = outcome;
	const told = doubtsOf(live).join(" ");
	const parts = Object.entries(PARTS).filter(([name]) => outcome[name].length > 0);
	const rows = [
		decision.points && counted.length > 0 && ["Votes", html`<${Lines} lines=${counted} />`],
		!decision.points && counts.length > 1 && ["Counted", html`<${Counts} counts=${counts} />`],
		...parts.map(([name, label]) => [
			status === "tied" && name === "dissent" ? OF_TIE : label,
			outcome[name].map((text, n) => html`<${Prose} key=${n} text=${text} />`),
		]),
		told && ["Can it be trusted?", html`<${Trust} trust=${trust} told=${told} />`],
	].filter(Boolean);
	return html`
		<div class="outcome-main bare"><div><${Heading}>${headline}<//></div></div>
		${description && !answer && html`<div class="within whole"><${Prose} text=${description} /></div>`}
		${
			rows.length > 0 &&
			html`<dl class="decided">
				${rows.map(([label, value]) => html`<dt key=${label}>${label}</dt><dd key=${`${label}:`}>${value}</dd>`)}
			</dl>`
		}
	`;
}

const Trust = ({ trust, told }) => html`
	<div class="trust">
		${trust && html`<span class=${`pill ${toned(trust)}`}>${trusted(trust)}</span>`}
		<span>${told}</span>
	</div>
`;

const Lines = ({ lines }) => html`
	<ul class="answers">
		${lines.map((line) => html`<li key=${line} dir="auto">${line}</li>`)}
	</ul>
`;

const Counts = ({ counts }) => html`
	<ul class="answers">
		${counts.map(
			({ answer, count, by }) => html`
				<li key=${answer}>
					<b>${count}</b> <span dir="auto">${answer}</span> <span class="sub">${by.join(", ")}</span>
				</li>
			`,
		)}
	</ul>
`;
