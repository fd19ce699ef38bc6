// The cast of a debate that is being put together: chips that read as a sentence, each with its seat below.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import * as draft from "../lib/composing.js";
import { formatOf, isOpenEnded } from "../lib/formats.js";
import { capital } from "../lib/models.js";
import { toneOf } from "../lib/people.js";
import { EFFORTS } from "../lib/schema.js";
import { Words } from "../lib/words.js";
import { Face, hasNoFocus } from "./bits.js";
import { Do, Field } from "./fields.js";

const { form, isHuman, openSeat, personas, problem } = draft;
const STANCES = { pro: "for", con: "against" };
const BENCH = new Set(["judge", "moderator", "bench"]);
const chosenFrom = (values) =>
	values.map((value) => ({ value, label: STANCES[value] ? Words(STANCES[value]) : Words(value) }));
const ARGUES = "Left empty, it is what the question or the premise says.";
const LONG = {
	personality: "Who this is, said to the model.",
	instructions: "How to speak.",
	room_instructions: "How to speak in a room, where turns are short.",
	judging_criteria: "What counts.",
};
// Wishes for the model of one participant; what is left empty is as set for the debate.
const WISHES = [
	{
		name: "reasoning_effort",
		label: "Thinking before answers",
		kind: "choice",
		isOptional: true,
		unset: "As set for the debate",
		choices: chosenFrom(EFFORTS),
	},
	{ name: "temperature", kind: "number", minimum: 0, maximum: 2 },
	{ name: "top_p", kind: "number", minimum: 0, maximum: 1 },
	{ name: "sampling_seed", kind: "number", is_whole: true, minimum: 0, maximum: 2_147_483_647 },
];

// The first person is whoever fills in the form.
export const called = (row) => (form.value.rows?.find(isHuman) === row ? "Me" : row.name || "Nobody yet");

// For stands on the left and against on the right, whoever opens; a moderator comes first, a judge last.
const PLACES = { moderator: 0, judge: 9, bench: 10 };
function inOrder(rows, isPair) {
	const place = (row) => PLACES[row.role] ?? (isPair && row.stance === "con" ? 2 : 1);
	return rows.map((row, n) => [row, n]).toSorted(([a, m], [b, n]) => place(a) - place(b) || m - n);
}

// The seats of the form in that order, each with its number: [[row, n], ...].
export function placed() {
	const { rows, format } = form.value;
	return rows ? inOrder(rows, formatOf(format).isPair) : [];
}

// A seat that moves is drawn anew, and the one that was removed is gone, each with the button that was pressed.
const toChip = () => {
	const chip = () => document.querySelector(".chip[aria-expanded=true]") ?? document.querySelector(".cast button");
	setTimeout(() => hasNoFocus() && chip()?.focus());
};

export function Cast() {
	const { format, rows, isDrawn, file } = form.value;
	const { isPair, roles, joins } = formatOf(format);
	const wrong = draft.mistakes.value.get("participants");
	useEffect(() => {
		const first = rows?.findIndex((_, n) => isWrongAt(n));
		if (first >= 0 && !isWrongAt(openSeat.value)) openSeat.value = first;
	}, [problem.value?.at]);
	const all = placed();
	const word = ([row], n) => {
		if (n && row.role === "judge") return "before";
		return n && (isPair || all[n - 1][0].role === "moderator") ? joins : "";
	};
	const more = rows && draft.addSeat();
	const add = () => {
		more.run();
		toChip();
	};
	const open = openSeat.value;
	const source = isDrawn ? (file ? "As it is shipped" : "Drawn for you") : "As you chose";
	return html`
		<section aria-labelledby="cast">
			<h2>
				<span id="cast">Cast</span>
				<span class="hint">${rows && source}</span>
				<span class="spring"></span>
				${roles[0] === "member" && html`<${Teams} />`}
				<${Do} icon="dice" look="quiet" disabled=${!rows} onClick=${() => draft.draw(true)}>Draw again<//>
			</h2>
			${!rows && html`<div class="bone block"></div>`}
			<div class="cast" role="group" aria-labelledby="cast">
				${all.map((one, n) => html`<${Chip} key=${one[1]} row=${one[0]} n=${one[1]} word=${word(one, n)} />`)}
				${more && html`<${Do} icon="plus" look="quiet" onClick=${add}>Add a ${more.role}<//>`}
			</div>
			${isOpenEnded(format) && html`<p class="hint">You are in the room, too, and may speak at any time.</p>`}
			${wrong && html`<p class="error" role="alert">${wrong}</p>`}
			${rows?.[open] && html`<${Seat} key=${open} n=${open} row=${rows[open]} />`}
		</section>
	`;
}

const isWrongAt = (n) => [...draft.mistakes.value.keys()].some((field) => field.startsWith(`participants.${n}.`));

function Chip({ row, n, word }) {
	const { format, rows } = form.value;
	const side = row.role === "debater" ? (STANCES[row.stance] ?? "") : "";
	const people = rows.map((each, id) => ({ ...each, id }));
	const isOpen = openSeat.value === n;
	return html`
		${word && html`<span class="versus">${word}</span>`}
		<button
			type="button"
			class=${`chip ${side} ${isHuman(row) ? "me" : ""} ${isWrongAt(n) ? "wrong" : ""}`}
			aria-expanded=${isOpen}
			aria-controls=${isOpen ? "seat" : undefined}
			onClick=${() => {
				openSeat.value = isOpen ? null : n;
			}}
		>
			<${Face} name=${row.name || "?"} tone=${toneOf(format, people, n)} isYou=${isHuman(row)} />
			<span>
				<b>${called(row)}</b>
				<small>${isWrongAt(n) ? "to be corrected" : side || row.title || row.role}</small>
			</span>
		</button>
	`;
}

// A list in which a choice does something at once, and the list stays as it was.
const Pick = ({ label, name, groups, onPick }) => html`
	<select
		class="exchange"
		aria-label=${label}
		value=""
		onChange=${(event) => {
			const { value } = event.target;
			event.target.value = "";
			onPick(Number(value));
		}}
	>
		<option value="">${name}…</option>
		${Object.entries(groups).map(
			([group, all]) => html`
				<optgroup label=${group}>${all.map(([n, text]) => html`<option value=${n}>${text}</option>`)}</optgroup>
			`,
		)}
	</select>
`;

function Teams() {
	const all = draft.teams.value.map((one, n) => [n, Words(one.name.replaceAll("-", " "))]);
	const take = (n) => {
		draft.changeRows(() => draft.takeTeam(draft.teams.value[n]));
		openSeat.value = null;
	};
	return html`<${Pick} label="Take a team" name="Take a team" groups=${{ Teams: all }} onPick=${take} />`;
}

function Exchange({ row, set }) {
	const taken = new Set(form.value.rows.map((one) => one.name));
	const isJudge = row.role === "judge";
	const groups = { [Words(`${row.role}s`)]: [], Others: [] };
	for (const [n, { name, title, role }] of personas.value.entries()) {
		if ((role === "judge") !== isJudge || taken.has(name)) continue;
		groups[role === row.role ? Words(`${role}s`) : "Others"].push([n, title ? `${name}, ${title}` : name]);
	}
	const take = (n) => {
		const made = draft.seatOf(personas.value[n], row.role, row.stance);
		set({ ...made, position: made.position || row.position, before: undefined });
	};
	return html`<${Pick} label="Replace by another persona" name="Replace" groups=${groups} onPick=${take} />`;
}

// The first sentence of what the model is told, without its beginning "You are Ada, ".
function introduced(text) {
	const first = text.match(/^[^.!?]*[.!?]+/)?.[0] ?? text;
	return capital(first.replace(/^You are [^,.]+, /, ""));
}

// A field of seat number `n`.
export function SeatField({ n, field, id = `seat-${n}-${field.name}` }) {
	const row = form.value.rows[n];
	return html`
		<${Field}
			id=${id}
			field=${field}
			value=${row[field.name]}
			error=${draft.mistakes.value.get(`participants.${n}.${field.name}`)}
			onChange=${(value) => draft.changeSeat(n, { [field.name]: value })}
		/>
	`;
}

// The field for a seat's own model; if it is left empty, the model that it shows is used.
export function modelField(row, label = "Model") {
	const isBench = BENCH.has(row.role);
	const own = form.value.values[isBench ? "model_judge" : "model_debater"];
	const placeholder = own || draft.models.value?.[isBench ? "judges" : "debaters"]?.model;
	return {
		name: "model",
		label,
		kind: "text",
		more: { placeholder, list: "known-models", spellcheck: false, maxlength: 200 },
	};
}

function Seat({ n, row }) {
	const [isEditing, setEditing] = useState(!row.name);
	const isMine = isHuman(row);
	const wasMine = useRef(isMine);
	useEffect(() => {
		if (isMine && !wasMine.current) document.getElementById(`seat-${n}-name`).select();
		wasMine.current = isMine;
	}, [isMine]);
	useEffect(() => {
		if (!isMine && isWrongAt(n)) setEditing(true);
	}, [problem.value?.at]);
	const field = (one) => html`<${SeatField} key=${one.name} n=${n} field=${one} />`;
	const name = field({
		name: "name",
		label: isMine ? "Your name" : "Name",
		kind: "text",
		required: true,
		more: { autocomplete: isMine ? "name" : "off" },
	});
	const about = row.role === "debater" ? ARGUES : "";
	const argues = { name: "position", label: isMine ? "What you argue" : "What they argue", kind: "long_text", about };
	return html`
		<div class="seat" id="seat" role="group" aria-label=${`Seat of ${called(row)}`}>
			<p class="line">
				<b>${called(row)}</b>
				<span class="hint">${row.title}</span>
				<span class="spring"></span>
				<${Exchange} row=${row} set=${(changes) => draft.changeSeat(n, changes)} />
				<${Do} icon="person" onClick=${() => (isMine ? draft.giveBack(n) : draft.takeSeat(n))}>
					${isMine ? "Give it back" : "Take this seat"}
				<//>
				<${Do} icon="edit" look="quiet" aria-expanded=${isEditing} onClick=${() => setEditing(!isEditing)}>Edit<//>
			</p>
			${!isMine && row.personality && html`<blockquote>${introduced(row.personality)}</blockquote>`}
			${isMine && name} ${!BENCH.has(row.role) && field(argues)} ${!isMine && field(modelField(row))}
			${isEditing && html`<${Editing} n=${n} row=${row} name=${!isMine && name} field=${field} />`}
		</div>
	`;
}

function Editing({ n, row, name, field }) {
	const { format, rows } = form.value;
	const { roles, isPair } = formatOf(format);
	const isHere = (one) =>
		one === "room_instructions" ? isOpenEnded(format) : one !== "judging_criteria" || row.role === "judge";
	const move = (by) => {
		draft.changeRows((now) => now.toSpliced(n, 1).toSpliced(n + by, 0, now[n]));
		openSeat.value = n + by;
		toChip();
	};
	const remove = () => {
		openSeat.value = null;
		draft.changeRows((now) => now.toSpliced(n, 1));
		toChip();
	};
	const long = Object.entries(LONG).filter(([one]) => isHere(one));
	const stances = chosenFrom(isPair ? ["pro", "con"] : ["none", "pro", "con"]);
	return html`
		<div class="fields">
			${name} ${field({ name: "title", kind: "text" })}
			${roles.length > 1 && field({ name: "role", kind: "choice", choices: chosenFrom(roles) })}
			${row.role === "debater" && field({ name: "stance", label: "Side", kind: "choice", choices: stances })}
			${field({ name: "color", label: "Colour", kind: "color" })}
		</div>
		${name && long.map(([one, about]) => field({ name: one, about, kind: "long_text" }))}
		${name && html`<div class="fields">${WISHES.map(field)}</div>`}
		<p class="line">
			<${Do} disabled=${n === 0} onClick=${() => move(-1)}>Speak earlier<//>
			<${Do} disabled=${n === rows.length - 1} onClick=${() => move(1)}>Speak later<//>
			<span class="spring"></span>
			<${Do} look="danger" onClick=${remove}>Remove this ${row.role}<//>
		</p>
	`;
}
