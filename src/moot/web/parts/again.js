// What a debate can become: a fork, a rematch, one with another name.
import { html, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { isOver } from "../lib/words.js";
import { Dialog } from "./bits.js";

const TITLE_MAX = 200;

// The entries of a menu; `open` shows the dialog of that name.
export function againItems(live, open) {
	const { status, config } = live.state;
	const rename = { name: "Rename", icon: "edit", run: () => open("rename") };
	if (!isOver(status)) return [rename];
	return [
		{ name: "Rematch", icon: "retry", run: () => rematch(live, {}) },
		hasTwoSides(config) && { name: "Swap sides", icon: "swap", run: () => rematch(live, { swap: true }) },
		{ name: "Rematch with other models", icon: "retry", run: () => open("rematch") },
		rename,
	];
}

const hasTwoSides = (config) =>
	["pro", "con"].every((side) => config?.participants.some((one) => one.role === "debater" && one.stance === side));

function rematch(live, body) {
	return begin(live, body).catch((problem) => say(problem.detail, { kind: "bad" }));
}

async function begin(live, body) {
	const made = await post(`/api/debates/${live.id}/rematches`, { ...body, start: true });
	go(`/debates/${made.id}`);
	say(body.swap ? "This is the rematch, with sides swapped." : "This is the rematch.");
}

export function RenameDialog({ live, onClose }) {
	const [title, setTitle] = useState(live.state.title);
	const save = async () => {
		await live.rename(title);
		onClose();
	};
	return html`
		<${Asking} title="Rename" action="Rename" send=${save} onClose=${onClose}>
			<label class="field">
				<span>Title</span>
				<input
					type="text"
					autofocus
					maxlength=${TITLE_MAX}
					placeholder=${live.state.topic}
					value=${title}
					onInput=${(event) => setTitle(event.target.value)}
				/>
			</label>
			<p class="hint">Shown instead of the topic, which stays as it is. Leave it empty to show the topic.</p>
		<//>
	`;
}

export function RematchDialog({ live, onClose }) {
	const [models, setModels] = useState({});
	const send = async () => {
		await begin(live, { models: chosen(models) });
		onClose();
	};
	return html`
		<${Asking} title="Rematch with other models" action="Start the rematch" send=${send} onClose=${onClose}>
			<p>The same topic, cast and settings, from the beginning. This debate is not changed.</p>
			<${Models} people=${live.state.config.participants} models=${models} onChange=${setModels} />
		<//>
	`;
}

export function ForkDialog({ live, at, onClose }) {
	const [models, setModels] = useState({});
	const send = async () => {
		const made = await post(`/api/debates/${live.id}/forks`, { at, changes: { models: chosen(models) } });
		onClose();
		go(`/debates/${made.id}`);
		say("This is the fork. Resume goes on from here.");
	};
	return html`
		<${Asking} title="Fork from here" action="Fork" send=${send} onClose=${onClose}>
			<p>A new debate that shares everything up to event ${at}. This one is not changed.</p>
			<${Models} people=${[...live.state.participants.values()]} models=${models} onChange=${setModels} />
		<//>
	`;
}

// A form in a dialog, which stays open with the reason if the server says no.
function Asking({ title, action, send, onClose, children }) {
	const [problem, setProblem] = useState(null);
	const [isBusy, setBusy] = useState(false);
	const submit = async (event) => {
		event.preventDefault();
		setBusy(true);
		await send().catch(setProblem);
		setBusy(false);
	};
	return html`
		<${Dialog} title=${title} onClose=${onClose}>
			<form onSubmit=${submit}>
				${children}
				${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
				<div class="row end"><button class="button primary" disabled=${isBusy}>${action}</button></div>
			</form>
		<//>
	`;
}

// One field for each who is no person; what is left empty stays as it is.
function Models({ people, models, onChange }) {
	return people
		.filter((one) => one.model !== "human")
		.map(
			(one) => html`
				<label class="field" key=${one.id}>
					<span>Model of ${one.name}</span>
					<input
						type="text"
						placeholder=${one.model}
						value=${models[one.id] ?? ""}
						onInput=${(event) => onChange((now) => ({ ...now, [one.id]: event.target.value }))}
					/>
				</label>
			`,
		);
}

const chosen = (models) => Object.fromEntries(Object.entries(models).filter(([, model]) => model.trim()));
