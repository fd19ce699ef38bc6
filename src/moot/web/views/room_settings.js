// What can be changed in a room that goes on. The bounds are the server's: it says what is wrong.
import { html, useState } from "../lib/ui.js";
import { ask } from "../lib/api.js";
import { Dialog } from "../parts/bits.js";
import { Field } from "../parts/fields.js";

const FIELDS = [
	{
		name: "response_delay",
		label: "Seconds between two messages",
		kind: "number",
		minimum: 1,
		maximum: 30,
		about: "In auto pacing, from the next message on.",
	},
	{
		name: "max_messages",
		label: "Pause after so many messages",
		kind: "number",
		minimum: 0,
		maximum: 100_000,
		about: "In auto pacing; 0 is never.",
	},
	{
		name: "max_wait",
		label: "Seconds to wait for an answer",
		kind: "number",
		minimum: 5,
		maximum: 120,
		about: "Of silence: an answer that flows may go on.",
	},
	{
		name: "compact",
		label: "Sum up when the window is full",
		kind: "bool",
		about: "Members go on with a summary of their own.",
	},
];

export function Settings({ live, onClose }) {
	const now = live.state.settings;
	const [values, setValues] = useState(Object.fromEntries(FIELDS.map(({ name }) => [name, now[name]])));
	const [problem, setProblem] = useState(null);
	const save = async (event) => {
		event.preventDefault();
		const changes = changesOf(values, now);
		try {
			if (Object.keys(changes).length)
				live.view.value = await ask("PATCH", `/api/debates/${live.id}/settings`, changes);
			onClose();
		} catch (refused) {
			setProblem(refused);
		}
	};
	return html`
		<${Dialog} title="Settings of this room" onClose=${onClose}>
			<form onSubmit=${save}>
				${FIELDS.map(
					(field) => html`
						<${Field}
							key=${field.name}
							id=${`room-${field.name}`}
							field=${field}
							value=${values[field.name]}
							error=${problem?.field === `settings.${field.name}` ? problem.detail : ""}
							onChange=${(value) => setValues({ ...values, [field.name]: value })}
						/>
					`,
				)}
				${problem && !problem.field && html`<p class="error" role="alert">${problem.detail}</p>`}
				<div class="actions end"><button class="btn primary">Save</button></div>
			</form>
		<//>
	`;
}

// Only what is different is sent, numbers as numbers.
export function changesOf(values, now) {
	const read = FIELDS.map(({ name, kind }) => [name, kind === "number" ? Number(values[name]) : values[name]]);
	return Object.fromEntries(read.filter(([name, value]) => value !== now[name]));
}
