// The transcript with its panels: for every format whose course is one speaker after the other.
import { html } from "../lib/ui.js";
import { Transcript } from "../parts/transcript.js";
import { LimitsPanel, PeoplePanel, ScorePanel, StagePanel } from "../parts/panels.js";
import { Verdict } from "../parts/verdict.js";
import { Questions } from "../parts/questions.js";
import { Composer } from "../parts/composer.js";

export const standard = {
	Main: ({ live, onFork }) => html`
		<${Transcript}
			live=${live}
			onFork=${onFork}
			after=${html`<${Questions} live=${live} /><${Verdict} live=${live} />`}
		/>
	`,
	Composer: ({ live }) => html`<${Composer} live=${live} />`,
	Side: ({ live }) => html`
		<${PeoplePanel} live=${live} />
		<${ScorePanel} live=${live} />
		<${StagePanel} live=${live} />
		<${LimitsPanel} live=${live} />
	`,
};
