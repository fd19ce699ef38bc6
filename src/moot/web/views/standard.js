// The transcript with its outline, for every format in which one speaks after the other: two sides, or a table.
import { html } from "../lib/ui.js";
import { isOver } from "../lib/words.js";
import { Transcript } from "../parts/transcript.js";
import { LimitsPanel, Notes, Outline, PeoplePanel } from "../parts/panels.js";
import { Waiting } from "../parts/commands.js";
import { HowItWent } from "../parts/chart.js";
import { Benches } from "../parts/benches.js";
import { Outcome } from "../parts/verdict.js";
import { formsOf } from "../parts/questions.js";
import { Sides, Steps } from "../parts/sides.js";

function Main({ live, onFork }) {
	const forms = formsOf(live);
	return html`
		${live.state.status !== "completed" && html`<${Steps} live=${live} /><${Sides} live=${live} />`}
		<${Transcript}
			live=${live}
			onFork=${onFork}
			below=${forms}
			after=${html`<${Waiting} live=${live} />${forms.get(0)}`}
			isTold
		/>
	`;
}

export const standard = {
	Outcome: ({ live, open, actions, children }) => html`
		<${Outcome} live=${live} actions=${actions} />
		<${Benches} live=${live} open=${open} />
		${children}
		${live.state.status === "completed" && html`<${HowItWent} live=${live} />`}
	`,
	Main,
	tellsWaits: true,
	Side: ({ live, onGo }) => html`
		<${Outline} live=${live} onGo=${onGo} />
		<${PeoplePanel} live=${live} />
		<${LimitsPanel} live=${live} />
		${isOver(live.state.status) && html`<${Notes} live=${live} />`}
	`,
};
