// The cast of a debate that is being put together: chips that read as a sentence, each with its seat below.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import {
	addSeat,
	changeRows,
	changeSeat,
	draw,
	form,
	giveBack,
	models,
	openSeat,
	personas,
	problem,
	seatOf,
	takeSeat,
	takeTeam,
	teams,
} from "../lib/composing.js";
import { formatOf } from "../lib/formats.js";
import { capital } from "../lib/models.js";
import { toneOf } from "../lib/people.js";
import { EFFORTS } from "../lib/schema.js";
import { Words, words } from "../lib/words.js";
import { Face } from "./bits.js";
import { Field } from "./fields.js";
import { Icon } from "./icons.js";

const STANCES = { pro: "for", con: "against" };
const BEFORE = { judge: "before", moderator: "" };
const LONG = [
	["personality", "Who this is, said to the model."],
	["instructions", "How to speak."],
	["room_instructions", "How to speak in a room, where turns are short."],
	["judging_criteria", "For judges: what counts."],
];
// What is wished for the model of one participant; what is left empty is as set for the debate.
const OTHERS = [
	{
		name: "reasoning_effort",
		label: "Thinking before answers",
		kind: "choice",
		isOptional: true,
		unset: "As set for the debate",
		choices: EFFORTS.map((value) => ({ value, label: Words(value) })),
	},
	{ name: "temperature", kind: "number", minimum: 0, maximum: 2, about: "How freely it chooses its words." },
	{ name: "top_p", kind: "number", minimum: 0, maximum: 1, about: "The share of likely words it chooses from." },
	{ name: "sampling_seed", kind: "number", is_whole: true, minimum: 0, maximum: 2_147_483_647 },
];
const isMe = (row) => row.model === "human";
export const called = (row) => (isMe(row) ? "Me" : row.name || "Nobody yet");

// For stands on the left, against on the right, whoever opens; who judges comes last, who leads first.
const PLACES = { moderator: 0, judge: 9 };
function inOrder(rows, isPair) {
	const place = (row) => PLACES[row.role] ?? (isPair && row.stance === "con" ? 3 : isPair ? 2 : 1);
	return rows.map((row, n) => [row, n]).toSorted(([a, m], [b, n]) => place(a) - place(b) || m - n);
}

const toned = (rows, n) =>
	toneOf(
		form.value.format,
		rows.map((row, id) => ({ ...row, id })),
		n,
	);

export function Cast() {
	const { format, rows, isDrawn, file } = form.value;
	const { isPair, roles, joins } = formatOf(format);
	const open = openSeat.value;
	const at = problem.value?.field?.match(/^participants\.(\d+)/)?.[1];
	useEffect(() => {
		if (at && rows?.[at]) openSeat.value = Number(at);
	}, [problem.value]);
	const more = rows && addSeat();
	const placed = rows ? inOrder(rows, isPair) : [];
	const between = (row, n) => {
		if (!n) return "";
		if (BEFORE[row.role]) return BEFORE[row.role];
		return isPair ? joins : placed[n - 1][0].role === "moderator" ? joins : "";
	};
	return html`
		<section aria-labelledby="cast">
			<h2>
				<span id="cast">Cast</span>
				<span class="hint">${!rows ? "" : !isDrawn ? "As you chose" : file ? "As it is shipped" : "Drawn for you"}</span>
				<span class="spring"></span>
				${roles[0] === "member" && html`<${Teams} />`}
				<button type="button" class="btn quiet small" disabled=${!rows} onClick=${() => draw(true)}>
					<${Icon} name="dice" small />
					Draw again
				</button>
			</h2>
			${!rows && html`<div class="bone block"></div>`}
			<div class="cast" role="group" aria-labelledby="cast">
				${placed.map(([row, n], place) => {
					const side = row.role === "debater" ? (STANCES[row.stance] ?? "") : "";
					const word = between(row, place);
					return html`
						${word && html`<span class="versus">${word}</span>`}
						<button
							type="button"
							key=${n}
							class=${`chip ${side} ${isMe(row) ? "me" : ""}`}
							aria-expanded=${open === n}
							aria-controls=${open === n ? "seat" : undefined}
							onClick=${() => {
								openSeat.value = open === n ? null : n;
							}}
						>
							<${Face} name=${row.name || "?"} tone=${toned(rows, n)} isYou=${isMe(row)} />
							<span>
								<b>${called(row)}</b>
								<small>${side || (row.role === "member" ? row.title || "member" : row.title || row.role)}</small>
							</span>
						</button>
					`;
				})}
				${
					more &&
					html`
						<button type="button" class="btn quiet small" onClick=${more.run}>
							<${Icon} name="plus" small />
							Add a ${more.role}
						</button>
					`
				}
			</div>
			${format === "room" && rows && html`<p class="hint">You are in the room, too, and may speak at any time.</p>`}
			${problem.value?.field === "participants" && html`<p class="error" role="alert">${problem.value.detail}</p>`}
			${rows?.[open] && html`<${Seat} key=${open} n=${open} row=${rows[open]} rows=${rows} />`}
		</section>
	`;
}

function Teams() {
	return html`
		<select
			class="exchange"
			aria-label="Take a team"
			value=""
			onChange=${(event) => {
				const found = teams.value.find((one) => one.name === event.target.value);
				event.target.value = "";
				if (found) changeRows(() => takeTeam(found));
				openSeat.value = null;
			}}
		>
			<option value="">Take a team…</option>
			${teams.value.map((one) => html`<option value=${one.name}>${Words(one.name.replaceAll("-", " "))}</option>`)}
		</select>
	`;
}

// The first sentence of what is said to the model, "You are Ada, who …", as others would say it.
function introduced(text) {
	const first = text.match(/^[^.!?]*[.!?]+/)?.[0] ?? text;
	return capital(first.replace(/^You are [^,.]+, /, ""));
}

function Seat({ n, row, rows }) {
	const [isEditing, setEditing] = useState(!row.name);
	const box = useRef(null);
	const id = `seat-${n}`;
	const wrong = (name) => problem.value?.field === `participants.${n}.${name}` && problem.value.detail;
	const isWrongWithin = problem.value?.field?.startsWith(`participants.${n}.`);
	const set = (changes) => changeSeat(n, changes);
	const sat = isMe(row);
	const wasMe = useRef(sat);
	useEffect(() => {
		if (sat && !wasMe.current) box.current.querySelector(`#${id}-name`)?.select();
		wasMe.current = sat;
	}, [sat]);
	useEffect(() => {
		if (isWrongWithin) setEditing(true);
	}, [problem.value]);
	const field = (one) => html`
		<${Field}
			key=${one.name}
			id=${`${id}-${one.name}`}
			field=${one}
			value=${row[one.name]}
			error=${wrong(one.name)}
			onChange=${(value) => set({ [one.name]: value })}
		/>
	`;
	const name = { name: "name", label: sat ? "Your name" : "Name", kind: "text", required: true };
	return html`
		<div class="seat" id="seat" role="group" aria-label=${`Seat of ${called(row)}`} ref=${box}>
			<p class="line">
				<b>${called(row)}</b>
				<span class="hint">${row.title}</span>
				<span class="spring"></span>
				<${Exchange} row=${row} rows=${rows} set=${set} />
				${
					sat
						? html`<button type="button" class="btn small" onClick=${() => giveBack(n)}>Give it back</button>`
						: html`
							<button type="button" class="btn small" onClick=${() => takeSeat(n)}>
								<${Icon} name="person" small />
								Take this seat
							</button>
						`
				}
				<button
					type="button"
					class="btn quiet small"
					aria-expanded=${isEditing}
					onClick=${() => setEditing(!isEditing)}
				>
					<${Icon} name="edit" small />
					Edit
				</button>
			</p>
			${!sat && row.personality && html`<blockquote>${introduced(row.personality)}</blockquote>`}
			${sat && field(name)}
			${row.role !== "judge" && row.role !== "moderator" && field({ ...ARGUES, label: argues(row) })}
			${!sat && html`<${SeatModel} id=${`${id}-model`} row=${row} error=${wrong("model")} set=${set} />`}
			${isEditing && html`<${Editing} ...${{ n, row, rows, set, field, name, sat }} />`}
		</div>
	`;
}

const ARGUES = {
	name: "position",
	kind: "long_text",
	about: "Left empty, it is what the question or the premise says.",
};
const argues = (row) => (isMe(row) ? "What you argue" : "What they argue");

export const SeatModel = ({ id, row, error, set, label = "Model" }) => html`
	<div class="field">
		<label for=${id}>${label}</label>
		<input
			class="input"
			type="text"
			id=${id}
			list="known-models"
			spellcheck=${false}
			autocomplete="off"
			maxlength="200"
			placeholder=${modelFor(row)}
			value=${row.model ?? ""}
			aria-invalid=${error ? "true" : undefined}
			aria-describedby=${error ? `${id}-error` : undefined}
			onInput=${(event) => set({ model: event.target.value })}
		/>
		${error && html`<p class="error" id=${`${id}-error`} role="alert">${error}</p>`}
	</div>
`;

function modelFor(row) {
	const isBench = row.role === "judge" || row.role === "moderator";
	const own = form.value.values[isBench ? "model_judge" : "model_debater"];
	return own || models.value?.[isBench ? "judges" : "debaters"]?.model || "as set for the debate";
}

function Exchange({ row, rows, set }) {
	const taken = new Set(rows.map((one) => one.name));
	const isBench = (role) => role === "judge";
	const fitting = personas.value.filter((one) => isBench(one.role) === isBench(row.role) && !taken.has(one.name));
	const exact = fitting.filter((one) => one.role === row.role);
	const list = (label, all) =>
		all.length > 0 &&
		html`
			<optgroup label=${label}>
				${all.map(
					(one) => html`
						<option value=${personas.value.indexOf(one)}>${one.name}${one.title ? `, ${one.title}` : ""}</option>
					`,
				)}
			</optgroup>
		`;
	return html`
		<select
			class="exchange"
			aria-label="Exchange for another persona"
			value=""
			onChange=${(event) => {
				const found = personas.value[Number(event.target.value)];
				event.target.value = "";
				if (!found) return;
				const made = seatOf(found, row.role, row.stance);
				set({ ...made, position: made.position || row.position || "", before: undefined });
			}}
		>
			<option value="">Exchange…</option>
			${list(Words(`${row.role}s`), exact)}
			${list(
				"Others",
				fitting.filter((one) => one.role !== row.role),
			)}
		</select>
	`;
}

function Editing({ n, row, rows, set, field, name, sat }) {
	const { roles, isPair } = formatOf(form.value.format);
	const move = (by) => {
		changeRows((now) => now.toSpliced(n, 1).toSpliced(n + by, 0, now[n]));
		openSeat.value = n + by;
	};
	const other = rows.findIndex((one, at) => at !== n && one.role === "debater");
	// In a pair, one side is what the other is not.
	const turn = (stance) => {
		set({ stance });
		if (isPair && other >= 0) changeSeat(other, { stance: stance === "pro" ? "con" : "pro" });
	};
	const select = (label, value, options, onChange) => html`
		<label class="field">
			<span>${label}</span>
			<select value=${value} onChange=${(event) => onChange(event.target.value)}>
				${options.map(([one, shown]) => html`<option value=${one}>${shown}</option>`)}
			</select>
		</label>
	`;
	const sides = [
		["pro", "For"],
		["con", "Against"],
	];
	return html`
		<div class="fields">
			${!sat && field(name)}
			${field({ name: "title", kind: "text" })}
			${
				roles.length > 1 &&
				select(
					"Role",
					row.role,
					roles.map((one) => [one, Words(one)]),
					(role) => set({ role, stance: role === "debater" ? row.stance : "none" }),
				)
			}
			${row.role === "debater" && select("Side", row.stance, isPair ? sides : [["none", "Neither"], ...sides], turn)}
			<label class="field">
				<span>Colour</span>
				<input
					type="color"
					value=${row.color?.startsWith("#") ? row.color : "#8a8f98"}
					onInput=${(event) => set({ color: event.target.value })}
				/>
			</label>
		</div>
		${!sat && LONG.filter(([one]) => fits(one, row)).map(([one, about]) => field({ name: one, about, kind: "long_text" }))}
		${!sat && html`<div class="fields">${OTHERS.map(field)}</div>`}
		<p class="line">
			<button type="button" class="btn small" disabled=${n === 0} onClick=${() => move(-1)}>Speak earlier</button>
			<button type="button" class="btn small" disabled=${n === rows.length - 1} onClick=${() => move(1)}>
				Speak later
			</button>
			<span class="spring"></span>
			<button
				type="button"
				class="btn small danger"
				onClick=${() => {
					openSeat.value = null;
					changeRows((now) => now.toSpliced(n, 1));
				}}
			>
				<${Icon} name="trash" small />
				Remove this ${words(row.role)}
			</button>
		</p>
	`;
}

const fits = (name, row) =>
	name === "judging_criteria" ? row.role === "judge" : name !== "room_instructions" || form.value.format === "room";
