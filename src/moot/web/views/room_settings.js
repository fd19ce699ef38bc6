// Settings that can be changed while a room goes on. The server checks the bounds and says what is wrong.
import { html, useState } from "../lib/ui.js";
import { ask } from "../lib/api.js";
import { Dialog } from "../parts/bits.js";
import { Field } from "../parts/fields.js";

const number = (name, label, minimum, maximum, about) => ({ name, label, kind: "number", minimum, maximum, about });
const FIELDS = [
	number("response_delay", "Seconds between two messages", 1, 30, "In auto pacing, from the next message on."),
	number("max_messages", "Pause after so many messages", 0, 100_000, "In auto pacing; 0 is never."),
	number("max_wait", "Seconds to wait for an answer", 5, 120, "Of silence: an answer that flows may go on."),
	{ name: "compact", label: "Sum up when the window is full", kind: "bool", about: "Members go on with a summary." },
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
				<div class="actions end"><button class="btn primary">Save</button></div></form><//>
	`;
}

// Only what is different is sent, numbers as numbers.
export function changesOf(values, now) {
	const read = FIELDS.map(({ name, kind }) => [name, kind === "number" ? Number(values[name]) : values[name]]);
	return Object.fromEntries(read.filter(([name, value]) => value !== now[name]));
}
