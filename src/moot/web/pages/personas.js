// Personas: those that come with Moot, and one's own, which can be written here.
import { html, useEffect, useState } from "../lib/ui.js";
import { ask, forget, get } from "../lib/api.js";
import { say } from "../lib/toasts.js";
import { Words } from "../lib/words.js";
import { Dialog, Face, hasNoFocus, stepAside } from "../parts/bits.js";
import { Field } from "../parts/fields.js";
import { Icon } from "../parts/icons.js";

const ROLES = ["debater", "judge", "moderator", "member"].map((value) => ({ value, label: Words(value) }));
const NEW = ".page-head button";
const NONE_YET = "None yet. Write one, or copy one of those below.";
const FIELDS = [
	{ name: "name", kind: "text", required: true },
	{ name: "role", kind: "choice", choices: ROLES, required: true },
	{ name: "title", kind: "text", about: "Shown beside the name: Ada, Architect." },
	{
		name: "personality",
		kind: "long_text",
		about: "Who this is, said to the model: “You are Ada, a planner who…”",
	},
	{ name: "position", kind: "long_text", about: "What it holds to be true." },
	{ name: "instructions", kind: "long_text", about: "How to speak." },
	{ name: "room_instructions", kind: "long_text", about: "How to speak in a room, where turns are short." },
	{ name: "judging_criteria", kind: "long_text", about: "For judges: what counts." },
	{ name: "model", kind: "text", about: "provider:name; empty takes the debate's." },
	{ name: "color", kind: "text", about: "#rrggbb, or a name." },
];

export function Personas() {
	const [rows, setRows] = useState(null);
	const [query, setQuery] = useState("");
	const [role, setRole] = useState("");
	const [editing, setEditing] = useState(null);
	const [problem, setProblem] = useState(null);
	const load = () => {
		forget("/api/personas");
		return get("/api/personas").then((page) => setRows(page.items), setProblem);
	};
	useEffect(() => {
		load();
	}, []);
	const fits = (row) =>
		(!role || row.role === role) &&
		`${row.name} ${row.title} ${row.role} ${row.origin} ${row.personality}`.toLowerCase().includes(query.toLowerCase());
	const own = rows?.filter((row) => row.origin === "own" && fits(row)) ?? [];
	const fewer = Boolean(role || query);
	const others = rows?.filter((row) => row.origin !== "own" && fits(row)) ?? [];
	const copy = (row) => setEditing({ ...row, name: "", copyOf: row.name });
	const remove = async (row, event) => {
		const goOn = stepAside(event.currentTarget, ".actions button:last-child", NEW);
		try {
			await ask("DELETE", `/api/personas/${encodeURIComponent(row.name)}`);
		} catch (refused) {
			say(refused.detail, { kind: "bad" });
			return;
		}
		await load();
		goOn();
		say(`${row.name} deleted`, {
			action: {
				name: "Undo",
				run: () => ask("POST", "/api/personas", body(row)).then(load, (p) => say(p.detail, { kind: "bad" })),
			},
		});
	};
	return html`
		<div class="personas">
			<div class="page-head">
				<h1>Personas</h1>
				<span class="spring"></span>
				<button class="btn primary" onClick=${() => setEditing({})}>
					<${Icon} name="plus" />
					<span>New persona</span>
				</button>
			</div>
			<p class="lead">
				A persona is who somebody is in a debate: how they think, what they hold to be true, how they speak.
				Those who are asked together again and again can be kept as a <a href="/panels">panel</a>.
			</p>
			<div class="filters">
				<div class="seg" role="group" aria-label="Which role">
					${[["", "All"], ...ROLES.map(({ value, label }) => [value, `${label}s`])].map(
						([value, name]) => html`
							<button key=${value} aria-pressed=${role === value} onClick=${() => setRole(value)}>${name}</button>
						`,
					)}
				</div>
				<span class="spring"></span>
				<input
					class="input find-one"
					type="search"
					aria-label="Search personas"
					placeholder="Search personas"
					value=${query}
					onInput=${(event) => setQuery(event.target.value)}
				/>
			</div>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			${
				rows === null && !problem
					? html`<div class="bone block"></div><div class="bone block"></div>`
					: html`
						<h2>Your own</h2>
						${
							own.length
								? html`<${Cards} key="own" rows=${own} onEdit=${setEditing} onRemove=${remove} />`
								: html`<p class="hint">${fewer ? "None of yours fits." : NONE_YET}</p>`
						}
						<h2>Shipped with Moot</h2>
						${!others.length && html`<p class="hint">None fits.</p>`}
						<${Cards} key="others" rows=${others} onEdit=${copy} />
					`
			}
			${
				editing &&
				html`
					<${Editor}
						row=${editing}
						onClose=${() => setEditing(null)}
						onSaved=${async (name) => {
							setEditing(null);
							await load();
							// Under another name or role, it is another card.
							setTimeout(() => hasNoFocus() && document.querySelector(editOf(name))?.focus());
							say(`${name} saved`);
						}}
					/>
				`
			}
		</div>
	`;
}

const editOf = (name) => `[aria-label="Edit ${CSS.escape(name)}"]`;

const Cards = ({ rows, onEdit, onRemove }) => html`
	<ul class="cards">
		${rows.map(
			(row, n) => html`
				<li class="card persona" key=${`${row.origin}/${row.name}/${row.role}`}>
					<div class="persona-head">
						<${Face} name=${row.name} tone=${/judge|moderator/.test(row.role) ? "judge" : `m${n % 8}`} />
						<div>
							<h3>${row.name}</h3>
							<small>
								${[row.title, row.role, row.origin === "own" ? "" : row.origin].filter(Boolean).join(" · ")}
							</small>
						</div>
					</div>
					<p>${row.personality || row.position || row.judging_criteria}</p>
					<div class="actions end">
						${
							onRemove &&
							html`
								<button
									class="btn small quiet"
									aria-label=${`Delete ${row.name}`}
									onClick=${(event) => onRemove(row, event)}
								>
									Delete
								</button>
							`
						}
						<button
							class="btn small"
							aria-label=${`${onRemove ? "Edit" : "Copy"} ${row.name}`}
							onClick=${() => onEdit(row)}
						>
							${onRemove ? "Edit" : "Copy"}
						</button>
					</div>
				</li>
			`,
		)}
	</ul>
`;

const body = (row) =>
	Object.fromEntries(FIELDS.map(({ name }) => [name, row[name]?.trim?.() ?? ""]).filter(([, value]) => value));

function Editor({ row, onClose, onSaved }) {
	const isNew = !row.name;
	const wrong = (name) => problem?.errors.find((one) => one.field === name)?.detail;
	const [values, setValues] = useState({ role: "debater", ...row });
	const [problem, setProblem] = useState(null);
	const save = async (event) => {
		event.preventDefault();
		try {
			await (isNew
				? ask("POST", "/api/personas", body(values))
				: ask("PUT", `/api/personas/${encodeURIComponent(row.name)}`, body(values)));
			onSaved(values.name);
		} catch (refused) {
			setProblem(refused);
		}
	};
	return html`
		<${Dialog}
			wide
			title=${isNew ? (row.copyOf ? `A copy of ${row.copyOf}` : "New persona") : `Edit ${row.name}`}
			onClose=${onClose}
		>
			<form onSubmit=${save}>
				<div class="fields">
					${FIELDS.map(
						(field) => html`
							<${Field}
								key=${field.name}
								id=${`persona-${field.name}`}
								field=${field}
								value=${values[field.name]}
								error=${wrong(field.name)}
								onChange=${(value) => setValues((now) => ({ ...now, [field.name]: value }))}
							/>
						`,
					)}
				</div>
				${
					problem &&
					!FIELDS.some(({ name }) => wrong(name)) &&
					html`<p class="error" role="alert">${problem.detail}</p>`
				}
				<div class="actions end"><button class="btn primary">Save</button></div>
			</form>
		<//>
	`;
}
