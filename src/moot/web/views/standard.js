// The transcript of two sides or of a table, with its outline: for every format of one speaker after the other.
import { html } from "../lib/ui.js";
import { isOver } from "../lib/words.js";
import { Transcript } from "../parts/transcript.js";
import { LimitsPanel, Notes, Outline, PeoplePanel } from "../parts/panels.js";
import { Waiting } from "../parts/commands.js";
import { HowItWent } from "../parts/chart.js";
import { Outcome } from "../parts/verdict.js";
import { Questions } from "../parts/questions.js";
import { Sides, Steps } from "../parts/sides.js";

export const standard = {
	Outcome: ({ live, actions }) => html`
		<${Outcome} live=${live} actions=${actions} />
		${live.state.status === "completed" && html`<${HowItWent} live=${live} />`}
	`,
	Main: ({ live, onFork }) => html`
		${live.state.status !== "completed" && html`<${Steps} live=${live} /><${Sides} live=${live} />`}
		<${Transcript}
			live=${live}
			onFork=${onFork}
			after=${html`<${Waiting} live=${live} /><${Questions} live=${live} />`}
			isTold
		/>
	`,
	tellsWaits: true,
	Side: ({ live, onGo }) => html`
		<${Outline} live=${live} onGo=${onGo} />
		<${PeoplePanel} live=${live} />
		<${LimitsPanel} live=${live} />
		${isOver(live.state.status) && html`<${Notes} live=${live} />`}
	`,
};
