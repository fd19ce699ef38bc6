// The dialogs of what a debate can become: each asks once, and stays open with the reason if the server says no.
import { html, useEffect, useState } from "../lib/ui.js";
import { ask, post } from "../lib/api.js";
import { courseOf } from "../lib/course.js";
import { load, panels } from "../lib/panels.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { make } from "../lib/wish.js";
import { isSample, money, plural } from "../lib/words.js";
import { Dialog } from "./bits.js";
import { Field } from "./fields.js";

const TITLE_MAX = 200;

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
					class="input"
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

// What it may cost, judging by what this one has cost.
function priceOf(live) {
	const { status, calls } = live.state;
	const cost = live.usage.cost_usd;
	if (isSample(live.state)) return "No model took part in this one; in yours, the models that you use otherwise speak.";
	if (cost == null) return `This one made ${plural(calls, "call")}; the price is unknown.`;
	if (status !== "completed") return `This one had cost ${money(cost)} when it ended.`;
	return cost ? `About ${money(cost)}, as this one.` : "It is free, as this one was.";
}

export function RematchDialog({ live, isSwapped, onClose }) {
	const [models, setModels] = useState({});
	const send = async () => {
		const body = { swap: Boolean(isSwapped), models: chosen(models), start: true };
		const made = await make(`${live.id}.rematch`, `/api/debates/${live.id}/rematches`, body);
		onClose();
		go(`/debates/${made.id}`);
		say(isSwapped ? "This is the rematch, with sides swapped." : "This is the rematch.");
	};
	return html`
		<${Asking} title=${isSwapped ? "Swap sides" : "Rematch"} action="Start" send=${send} onClose=${onClose}>
			<p>
				Starts a new debate with the same cast${!isSample(live.state) && " and models"}${
					isSwapped ? ", each on the other side" : ""
				}. ${priceOf(live)}
			</p>
			<details class="fold">
				<summary>Use other models</summary>
				<${Models} people=${live.state.config.participants} models=${models} onChange=${setModels} />
			</details>
		<//>
	`;
}

export function ForkDialog({ live, at, onClose }) {
	const [models, setModels] = useState({});
	const course = courseOf(live.state);
	const number = course.statements.filter((turn) => turn.seq <= at).length;
	const send = async () => {
		const body = { at, changes: { models: chosen(models) } };
		const made = await make(`${live.id}.fork`, `/api/debates/${live.id}/forks`, body);
		onClose();
		go(`/debates/${made.id}`);
		say("This is the fork. Resume goes on from here.");
	};
	return html`
		<${Asking} title="Fork from here" action="Fork" send=${send} onClose=${onClose}>
			<p>
				A new debate. ${number ? `Goes its own way after statement ${number}.` : "Goes its own way from here."}${" "}
				This one is not changed.
			</p>
			<${Models} people=${[...live.state.participants.values()]} models=${models} onChange=${setModels} />
		<//>
	`;
}

const PANEL_FIELDS = [
	{
		name: "name",
		kind: "text",
		required: true,
		about: "The name you ask it by: lower-case letters, digits, hyphens and underscores.",
		more: { autofocus: true },
	},
	{ name: "about", label: "What is it good for?", kind: "long_text", required: true, about: "In a sentence." },
];
const slug = (name) => name.trim().toLowerCase().replace(/\s+/g, "-");

// Saves the set-up without its question, so that it can be asked others.
export function PanelDialog({ live, onClose }) {
	const [values, setValues] = useState({ name: "", about: "" });
	useEffect(() => void load(), []);
	const isTaken = panels.value?.some((one) => !one.is_own && one.name === slug(values.name));
	const send = async () => {
		const body = { from: live.id, name: slug(values.name), about: values.about.trim() };
		const { name } = await post("/api/panels", body);
		onClose();
		say(`Saved as the panel “${name}”.`, { action: { name: "Show it", run: () => go(`/panels#${name}`) } });
	};
	const field = (wrong) => (one) =>
		html`
		<${Field}
			key=${one.name}
			id=${`panel-${one.name}`}
			field=${one}
			value=${values[one.name]}
			error=${wrong(one.name)}
			onChange=${(value) => setValues((now) => ({ ...now, [one.name]: value }))}
		/>
	`;
	return html`
		<${Asking}
			title="Save as a panel"
			action="Save"
			send=${send}
			onClose=${onClose}
			fields=${(wrong) => PANEL_FIELDS.map(field(wrong))}
		>
			<p>Keeps who took part, their models and all settings, so that you can ask them something else.</p>
			${isTaken && html`<p class="hint" role="status">Yours will take the place of the one that comes with Moot.</p>`}
		<//>
	`;
}

export function DeleteDialog({ live, onClose }) {
	const send = async () => {
		await ask("DELETE", `/api/debates/${live.id}`);
		onClose();
		go("/");
		say("Debate deleted");
	};
	return html`
		<${Asking} title="Delete this debate?" action="Delete it" tone="danger" send=${send} onClose=${onClose}>
			<p>It is gone for good, with everything that was said in it.</p>
		<//>
	`;
}

// A form in a dialog, which stays open with the reason if the server refuses. `fields(wrong)` draws those fields that
// can show a reason of their own, which `wrong(name)` gives; `other` is {name, send}, for something else to do.
export function Asking({ title, action, tone = "primary", isOff, send, other, onClose, fields, children }) {
	const [problem, setProblem] = useState(null);
	const [isBusy, setBusy] = useState(false);
	const told = new Set();
	const wrong = (name) => {
		const found = problem?.errors.find((one) => one.field === name);
		if (found) told.add(name);
		return found?.detail;
	};
	const drawn = fields?.(wrong);
	const attempt = (act) => async (event) => {
		event.preventDefault();
		setBusy(true);
		await act().catch(setProblem);
		setBusy(false);
	};
	return html`
		<${Dialog} title=${title} onClose=${onClose}>
			<form onSubmit=${attempt(send)}>
				${children} ${drawn}
				${problem && !told.size && html`<p class="error" role="alert">${problem.detail}</p>`}
				<div class="actions end">
					${
						other &&
						html`
							<button type="button" class="btn quiet" disabled=${isBusy} onClick=${attempt(other.send)}>
								${other.name}
							</button>
						`
					}
					<button class=${`btn ${tone}`} disabled=${isBusy || isOff}>${action}</button>
				</div>
			</form>
		<//>
	`;
}

// One field for each participant who is not a person; where it is left empty, the model stays.
function Models({ people, models, onChange }) {
	return people
		.filter((one) => one.model !== "human")
		.map(
			(one) => html`
				<label class="field" key=${one.id}>
					<span>Model of ${one.name}</span>
					<input
						class="input"
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
