// A council: what it asks, what came of it, and how its members got there.
import { html, useState } from "../lib/ui.js";
import { hash } from "../lib/route.js";
import { isOver, plural } from "../lib/words.js";
import { Transcript } from "../parts/transcript.js";
import { LimitsPanel, PeoplePanel } from "../parts/panels.js";
import { Question } from "../parts/questions.js";
import { Benches } from "../parts/benches.js";
import { Board } from "./council_board.js";
import { Answered, Clarifications } from "./council_questions.js";
import { Solution } from "./council_solution.js";
import { councilOf } from "./council_state.js";

function Main({ live, open }) {
	const { state } = live;
	const council = councilOf(live);
	const asked = ["running", "waiting"].includes(state.status)
		? (live.view.value?.questions ?? []).filter((one) => state.questions.has(one.id))
		: [];
	const isClear = (one) => one.kind === "answer" && one.asker;
	const clear = asked.filter(isClear);
	const other = asked.filter((one) => !isClear(one));
	return html`
		<div class="council">
			${clear.length > 0 && html`<${Clarifications} live=${live} asked=${clear} />`}
			${
				other.length > 0 &&
				html`
					<section class="questions" aria-label="Your turn">
						${other.map((one) => html`<${Question} key=${one.id} live=${live} question=${one} />`)}
					</section>
				`
			}
			<${Solution} live=${live} council=${council} open=${open} />
			<${Benches} live=${live} open=${open} />
			${!isOver(state.status) && council.cautions.map((one) => html`<p class="hint" key=${one}>${one}</p>`)}
			${!isOver(state.status) && html`<${Board} live=${live} council=${council} />`}
			${!council.columns.length && !asked.length && html`<${Waiting} live=${live} council=${council} />`}
		</div>
	`;
}

// What is as wide as the page. The board moves here once the solution has taken its place.
function Below({ live, onFork }) {
	const { state } = live;
	const council = councilOf(live);
	return html`
		<div class="council">
			${isOver(state.status) && html`<${Board} live=${live} council=${council} />`}
			${
				state.notices.length > 0 &&
				html`
					<section class="council-told" aria-label="Notices">
						<h2>What happened on the way</h2>
						<ul>${state.notices.map((one) => html`<li key=${one.seq}>${one.text}</li>`)}</ul>
					</section>
				`
			}
			${council.clarifications.length > 0 && html`<${Answered} live=${live} council=${council} />`}
			${state.turns.length > 0 && html`<${Everything} live=${live} onFork=${onFork} />`}
		</div>
	`;
}

// Drawn only once it is opened; otherwise the page would follow it to its end.
function Everything({ live, onFork }) {
	const [isOpen, setOpen] = useState(hash.value.startsWith("#turn-"));
	return html`
		<details class="fold" open=${isOpen} onToggle=${(event) => setOpen(event.currentTarget.open)}>
			<summary>Everything that was said, in order</summary>
			${isOpen && html`<${Transcript} live=${live} onFork=${onFork} />`}
		</details>
	`;
}

function Waiting({ live, council }) {
	const { status } = live.state;
	if (!live.isCaughtUp.value) return html`<div class="bone block"></div><div class="bone block"></div>`;
	if (status !== "created") return isOver(status) ? null : html`<p class="hint">Nobody has proposed anything yet.</p>`;
	return html`
		<div class="empty">
			<h2>${plural(council.members.length, "member")} and a judge</h2>
			<p>
				Each writes a proposal that nobody else sees, criticises all others, and refines its own. At the end the
				judge writes the solution. Press Start.
			</p>
		</div>
	`;
}

export const council = {
	Main,
	Below,
	Side: ({ live }) => html`
		<${PeoplePanel} live=${live} />
		<${LimitsPanel} live=${live} />
	`,
	Now: () => null, // the foot says what goes on
	tellsNotices: true,
};
