// A person's turn: what is asked, and a form for it. What was begun survives a reload.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { CARDS, isOver } from "../lib/words.js";
import { Dialog } from "./bits.js";
import { Prose } from "./turn.js";
import { Field } from "./fields.js";

export function Questions({ live }) {
	const { status } = live.state;
	const asked = (live.view.value?.questions ?? []).filter(
		(question) => live.state.questions.has(question.id) || !live.isCaughtUp.value,
	);
	if (!asked.length || !["running", "waiting"].includes(status)) return null;
	return html`
		<section class="questions" aria-label="Your turn">
			${asked.map((question) => html`<${Question} key=${question.id} live=${live} question=${question} />`)}
		</section>
	`;
}

// While somebody takes part the server withholds what their chair may not know. To see it is deliberate, and recorded.
export function Veil({ live }) {
	const [isAsking, setAsking] = useState(false);
	const { status, turns } = live.state;
	const isHiding = turns.some((turn) => turn.flags?.includes("hidden"));
	const view = live.view.value;
	if (!view?.is_veiled || !isHiding) return null;
	if (isOver(status) || !view.participants.some((one) => one.model === "human"))
		return html`<${Elsewhere} view=${view} />`;
	const open = async () => {
		if (await live.send("POST", "/reveal")) setAsking(false);
	};
	return html`
		<div class="notice">
			What the others plan, think and judge is hidden until the debate is over, because a person takes part.
			${" "}
			<button class="linkish" onClick=${() => setAsking(true)}>Open the cards</button>
			${
				isAsking &&
				html`
					<${Dialog} title="Open the cards?" onClose=${() => setAsking(false)}>
						<p>${CARDS.reveals}</p>
						<div class="row end">
							<button class="button primary" onClick=${open}>Open the cards</button>
						</div>
					<//>
				`
			}
		</div>
	`;
}

// A fork is no way around it: somebody still plays the debate that it was forked from.
function Elsewhere({ view }) {
	if (!view.forked_from) return null;
	return html`
		<div class="notice">
			What was planned, thought and judged is hidden until${" "}
			<a href=${`/debates/${view.forked_from.debate}`}>the debate that this one was forked from</a>
			${" "}is over, because a person takes part there.
		</div>
	`;
}

function begun(where) {
	try {
		return JSON.parse(where.get() || "null");
	} catch {
		return null;
	}
}

export function Question({ live, question }) {
	const where = draft(`${live.id}.${question.id}`);
	const fields = question.form?.fields ?? null;
	const [values, setValues] = useState(() => begun(where) ?? (fields ? {} : { text: "" }));
	const [problem, setProblem] = useState(null);
	const [isSending, setSending] = useState(false);
	const box = useRef(null);
	const latest = useRef(values);
	const change = (name, value) => {
		latest.current = { ...latest.current, [name]: value };
		setValues(latest.current);
		where.set(JSON.stringify(latest.current));
	};
	useEffect(() => {
		if (!document.activeElement || document.activeElement === document.body)
			box.current?.querySelector("textarea,input,select")?.focus({ preventScroll: true });
	}, []);
	const send = async (answer) => {
		setSending(true);
		setProblem(null);
		try {
			await live.answer({ [question.id]: answer });
			where.set("");
		} catch (refused) {
			setProblem(refused);
		}
		setSending(false);
	};
	const submit = (event) => {
		event.preventDefault();
		send(fields ? filled(fields, values) : values.text);
	};
	const person = live.person(question.participant);
	const asked = (fields ?? []).filter((field) => isAsked(field, values));
	const input = (field) => html`
		<${Field}
			key=${field.name}
			field=${field}
			value=${values[field.name]}
			onChange=${(value) => change(field.name, value)}
			id=${`${question.id}-${field.name}`}
		/>
	`;
	const isEmpty = fields ? false : !values.text?.trim();
	return html`
		<form
			class="card question"
			ref=${box}
			onSubmit=${submit}
			onKeyDown=${(event) => {
				if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
					event.preventDefault();
					if (!isEmpty) event.currentTarget.requestSubmit();
				}
			}}
		>
			<p class="eyebrow">${question.participant === "user" ? "Your turn" : `Your turn, ${person.name}`}</p>
			<h2>${question.title}</h2>
			<${Asked} text=${question.text} />
			${
				fields
					? html`
						${asked.filter((field) => !field.aside).map(input)}
						${
							asked.some((field) => field.aside) &&
							html`
								<details class="aside">
									<summary>Notes to yourself</summary>
									${asked.filter((field) => field.aside).map(input)}
								</details>
							`
						}
					`
					: html`
						<label class="field">
							<span>Your words</span>
							<textarea
								rows="6"
								maxlength="20000"
								value=${values.text}
								onInput=${(event) => change("text", event.target.value)}
							></textarea>
						</label>
					`
			}
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			<div class="row end">
				${question.expires_at && html`<${Countdown} until=${question.expires_at} />`}
				<span class="hint keys">Ctrl+Enter sends</span>
				${
					question.may_pass &&
					html`<button type="button" class="button" disabled=${isSending} onClick=${() => send("")}>Pass</button>`
				}
				<button class="button primary" disabled=${isSending || isEmpty}>Send</button>
			</div>
		</form>
	`;
}

// Long prompts, made for models, are folded: people know by then what it is about.
const Asked = ({ text }) =>
	text.length > 420
		? html`
			<details class="asked">
				<summary>What is asked</summary>
				<${Prose} text=${text} />
			</details>
		`
		: html`<${Prose} text=${text} />`;

// A field of use only where another has one of some values, such as the note of a checkpoint.
const isAsked = (field, values) =>
	Object.entries(field.when ?? {}).every(([other, wanted]) => wanted.includes(values[other]));

function filled(fields, values) {
	const made = {};
	for (const field of fields.filter((one) => isAsked(one, values))) {
		const value = values[field.name];
		if (value === undefined || value === "") {
			if (field.required && field.kind === "bool") made[field.name] = false;
			continue;
		}
		made[field.name] =
			field.kind === "number"
				? Number(value)
				: field.kind === "list"
					? String(value)
							.split("\n")
							.map((line) => line.trim())
							.filter(Boolean)
					: value;
	}
	return made;
}

export function Countdown({ until, text = (s) => `${s} s left` }) {
	const left = () => Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000));
	const [seconds, setSeconds] = useState(left);
	useEffect(() => {
		const timer = setInterval(() => setSeconds(left()), 500);
		return () => clearInterval(timer);
	}, [until]);
	return html`<span class="hint" role="timer">${text(seconds)}</span>`;
}
