// What is asked before a debate is ended or cancelled, since neither can be undone.
import { html } from "../lib/ui.js";
import { called } from "../lib/people.js";
import { Dialog } from "./bits.js";

const acting = (live, onClose) => (name) => () => {
	onClose();
	live.command(name);
};

export function EndDialog({ live, onClose }) {
	const act = acting(live, onClose);
	return html`
		<${Dialog} title="End before the answer?" onClose=${onClose}>
			<p>
				The debate is waiting for ${owed(live)}. If it ends now, that answer is not wanted any more, unless the outcome
				needs it, as it needs a judge's. Whatever else is left is skipped.
			</p>
			<div class="actions">
				<button class="btn" onClick=${onClose}>Go on</button>
				<span class="spring"></span>
				<button class="btn danger" onClick=${act("end")}>End it now</button>
			</div>
		<//>
	`;
}

// Whoever was asked, each once: "you and Ada".
const owed = (live) => {
	const names = [...live.state.questions.values()].map(({ participant }) => called(live, participant));
	return [...new Set(names)].map((name) => (name === "You" ? "you" : name)).join(" and ");
};

export function CancelDialog({ live, onClose }) {
	const act = acting(live, onClose);
	return html`
		<${Dialog} title="Cancel without a verdict?" onClose=${onClose}>
			<p>
				What is being written is thrown away, and the debate cannot be resumed. To keep it resumable, stop it
				instead.
			</p>
			<div class="actions">
				<button class="btn" onClick=${onClose}>Go on</button>
				${
					live.state.commands.includes("stop") && html`<button class="btn" onClick=${act("stop")}>Stop instead</button>`
				}
				<span class="spring"></span>
				<button class="btn danger" onClick=${act("cancel")}>Cancel it</button>
			</div>
		<//>
	`;
}
