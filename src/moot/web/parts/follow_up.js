// Below an answer: the next question for the same panel. The new debate is told this question and its answer.
import { html, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { ask as askPanel } from "../lib/panels.js";
import { go } from "../lib/route.js";
import { Icon } from "./icons.js";

export function FollowUp({ live }) {
	const { panel, status, outcome } = live.state;
	return panel && status === "completed" && outcome ? html`<${Box} live=${live} panel=${panel} />` : null;
}

function Box({ live, panel }) {
	const where = draft(`${live.id}.follow-up`);
	const [text, setText] = useState(where.get());
	const [problem, setProblem] = useState(null);
	const [isBusy, setBusy] = useState(false);
	const change = (now) => {
		setText(now);
		setProblem(null);
		where.set(now);
	};
	const send = async (event) => {
		event.preventDefault();
		if (isBusy) return;
		if (!text.trim()) {
			setProblem({ detail: "Write a question first." });
			return;
		}
		setBusy(true);
		try {
			const made = await askPanel(`${live.id}.follow-up`, panel, {
				question: text.trim(),
				after: live.id,
				start: true,
			});
			where.set("");
			go(`/debates/${made.id}`);
		} catch (refused) {
			setProblem(refused);
			setBusy(false);
		}
	};
	const onKey = (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
	};
	return html`
		<form class="card follow-up" aria-label="Next question" noValidate onSubmit=${send} onKeyDown=${onKey}>
			<label class="eyebrow" for="follow-up-text">Ask a follow-up</label>
			<textarea
				class="input"
				id="follow-up-text"
				rows="1"
				value=${text}
				aria-invalid=${problem ? "true" : undefined}
				aria-describedby=${problem ? "follow-up-about follow-up-error" : "follow-up-about"}
				onInput=${(event) => change(event.target.value)}
			></textarea>
			${problem && html`<p class="error" id="follow-up-error" role="alert">${problem.detail}</p>`}
			<div class="actions">
				<p class="hint" id="follow-up-about">
					The panel <a href=${`/panels#${panel}`}>${panel}</a> is told this question and its answer.
				</p>
				<span class="spring"></span>
				<button class="btn" disabled=${isBusy}><${Icon} name="play" small /><span>Ask</span></button>
			</div>
		</form>
	`;
}
