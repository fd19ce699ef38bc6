// Who takes part: chosen by Moot, or one by one from personas, models and people.
import { html, useState } from "../lib/ui.js";
import { EFFORTS } from "../lib/schema.js";
import { Words } from "../lib/words.js";
import { tintOf } from "../lib/people.js";
import { Avatar } from "./bits.js";
import { Icon } from "./icons.js";
import { Field } from "./fields.js";

const ROLES = ["debater", "judge", "moderator", "member"];
const STANCES = ["none", "pro", "con"];
const LONG = [
	["personality", "Who this is, said to the model."],
	["position", "What it holds to be true."],
	["instructions", "How to speak."],
	["room_instructions", "How to speak in a room, where turns are short."],
	["judging_criteria", "For judges: what counts."],
];

// What is wished for the model of one participant; what is left empty is as set for the debate.
const WISHES = [
	{
		name: "reasoning_effort",
		kind: "choice",
		isOptional: true,
		unset: "As set for the debate",
		choices: EFFORTS.map((value) => ({ value, label: Words(value) })),
		about: "How much its model thinks first.",
	},
	{ name: "temperature", kind: "number", minimum: 0, maximum: 2, about: "How freely it chooses its words." },
	{ name: "top_p", kind: "number", minimum: 0, maximum: 1, about: "The share of likely words it chooses from." },
	{
		name: "sampling_seed",
		kind: "number",
		minimum: 0,
		maximum: 2147483647,
		about: "For models that can repeat themselves.",
	},
];
const NUMBERS = new Set(WISHES.filter((one) => one.kind === "number").map((one) => one.name));

const debaters = [
	{ role: "debater", stance: "pro" },
	{ role: "debater", stance: "con" },
];
const STARTERS = {
	room: [{ role: "member" }, { role: "member" }, { role: "member" }],
	council: [{ role: "member" }, { role: "member" }, { role: "member" }],
	standard: [{ role: "moderator" }, ...debaters],
	custom: [{ role: "moderator" }, ...debaters],
	classic: [{ role: "moderator" }, ...debaters],
};
export const starter = (format) =>
	(STARTERS[format] ?? [...debaters, { role: "judge" }]).map((one) => ({ stance: "none", name: "", ...one }));

// What is sent: only what was filled in.
export const participantsOf = (rows) =>
	rows.map((row) =>
		Object.fromEntries(
			Object.entries(row)
				.filter(([, value]) => value !== "" && value != null)
				.map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]),
		),
	);

// `onChange` is given a function from the rows there are to those there shall be.
export function Roster({ rows, onChange, personas, models, errors }) {
	const change = (n, changes) => onChange((now) => now.map((row, at) => (at === n ? { ...row, ...changes } : row)));
	const move = (n, by) =>
		onChange((now) => {
			const made = [...now];
			const [row] = made.splice(n, 1);
			made.splice(n + by, 0, row);
			return made;
		});
	return html`
		<ol class="roster">
			${rows.map(
				(row, n) => html`
					<${Seat}
						key=${n}
						n=${n}
						row=${row}
						isLast=${n === rows.length - 1}
						...${{ personas, models, errors, move }}
						onChange=${(changes) => change(n, changes)}
						onRemove=${() => onChange((now) => now.filter((_, at) => at !== n))}
					/>
				`,
			)}
		</ol>
		<datalist id="known-models">
			${models.map((name) => html`<option value=${name} />`)}
		</datalist>
		<button
			type="button"
			class="button"
			onClick=${() => onChange((now) => [...now, { role: now.at(-1)?.role ?? "debater", stance: "none", name: "" }])}
		>
			<${Icon} name="plus" />
			<span>Add participant</span>
		</button>
	`;
}

function Seat({ n, row, isLast, personas, models, errors, move, onChange, onRemove }) {
	const [isOpen, setOpen] = useState(false);
	const id = `seat-${n}`;
	const isHuman = row.model === "human";
	const take = (event) => {
		const found = personas[Number(event.target.value)];
		if (!found) return;
		const { name, title, personality, position, instructions, room_instructions, judging_criteria, color } = found;
		onChange({
			name,
			title,
			personality,
			position,
			instructions,
			room_instructions,
			judging_criteria,
			color,
			...(found.model && { model: found.model }),
		});
	};
	const fitting = personas
		.map((one, at) => [one, at])
		.filter(([one]) => (row.role === "judge" ? one.role === "judge" : one.role !== "judge"));
	const wrong = (name) => errors[`participants.${n}.${name}`];
	const input = (name, props = {}) => html`
		<input
			id=${`${id}-${name}`}
			type="text"
			value=${row[name] ?? ""}
			aria-invalid=${wrong(name) ? "true" : undefined}
			aria-describedby=${wrong(name) ? `${id}-${name}-error` : undefined}
			onInput=${(event) => onChange({ [name]: event.target.value })}
			...${props}
		/>
		${wrong(name) && html`<p class="error" id=${`${id}-${name}-error`} role="alert">${wrong(name)}</p>`}
	`;
	const select = (name, options) => html`
		<select
			id=${`${id}-${name}`}
			value=${row[name]}
			onChange=${(event) => onChange({ [name]: event.target.value })}
		>
			${options.map((value) => html`<option value=${value}>${Words(value)}</option>`)}
		</select>
	`;
	const known = { list: "known-models", placeholder: models[0] ?? "as set for the debate", spellcheck: false };
	return html`
		<li class="seat" aria-label=${`Participant ${n + 1}${row.name ? `, ${row.name}` : ""}`}>
			<div class="seat-head">
				<${Avatar} name=${row.name || String(n + 1)} tint=${tintOf(row, n)} isHuman=${isHuman} />
				<div class="field">
					<label for=${`${id}-name`}>Name</label>
					${input("name", { required: true, maxlength: 60 })}
				</div>
				<div class="field">
					<label for=${`${id}-persona`}>From persona</label>
					<select id=${`${id}-persona`} value="" onChange=${take}>
						<option value="">Choose…</option>
						${fitting.map(
							([one, at]) => html`
								<option value=${at}>${one.name}${one.title ? `, ${one.title}` : ""} (${one.origin})</option>
							`,
						)}
					</select>
				</div>
				<div class="field"><label for=${`${id}-role`}>Role</label>${select("role", ROLES)}</div>
				<div class="field"><label for=${`${id}-stance`}>Stance</label>${select("stance", STANCES)}</div>
				<div class="field">
					<label for=${`${id}-model`}>Model</label>
					${isHuman ? html`<span class="human-note">a person, asked on this page</span>` : input("model", known)}
				</div>
			</div>
			<div class="seat-foot">
				<label class="switch">
					<input
						type="checkbox"
						role="switch"
						checked=${isHuman}
						onChange=${(event) => onChange({ model: event.target.checked ? "human" : "" })}
					/>
					<i></i>
					<span>A person</span>
				</label>
				<label class="colour">
					<span>Colour</span>
					<input
						type="color"
						value=${row.color?.startsWith("#") ? row.color : "#8a8f98"}
						onInput=${(event) => onChange({ color: event.target.value })}
					/>
				</label>
				<span class="spring"></span>
				<button
					type="button"
					class="button small quiet"
					aria-expanded=${isOpen}
					onClick=${() => setOpen(!isOpen)}
				>
					${isOpen ? "Less" : "More"}
				</button>
				<button
					type="button"
					class="button small quiet icon-only"
					aria-label="Move up"
					disabled=${n === 0}
					onClick=${() => move(n, -1)}
				>
					<${Icon} name="up" />
				</button>
				<button
					type="button"
					class="button small quiet icon-only"
					aria-label="Move down"
					disabled=${isLast}
					onClick=${() => move(n, 1)}
				>
					<${Icon} name="down" />
				</button>
				<button
					type="button"
					class="button small quiet icon-only"
					aria-label="Remove participant"
					onClick=${onRemove}
				>
					<${Icon} name="trash" />
				</button>
			</div>
			${
				isOpen &&
				html`
					<div class="fields">
						<div class="field">
							<label for=${`${id}-title`}>Title</label>
							${input("title", { maxlength: 120 })}
						</div>
						${LONG.map(
							([name, about]) => html`
								<${Field}
									key=${name}
									id=${`${id}-${name}`}
									field=${{ name, kind: "long_text", about }}
									value=${row[name]}
									error=${wrong(name)}
									onChange=${(value) => onChange({ [name]: value })}
								/>
							`,
						)}
						${
							!isHuman &&
							WISHES.map(
								(field) => html`
									<${Field}
										key=${field.name}
										id=${`${id}-${field.name}`}
										field=${field}
										value=${row[field.name]}
										error=${wrong(field.name)}
										onChange=${(value) => onChange({ [field.name]: value })}
									/>
								`,
							)
						}
					</div>
				`
			}
		</li>
	`;
}
