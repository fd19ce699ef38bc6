// A person's turn: what is asked, and a form for it. A begun answer survives a reload.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { CARDS, isOver, plural } from "../lib/words.js";
import { courseOf, lastQuestion } from "../lib/course.js";
import { called, side, tone } from "../lib/people.js";
import { Dialog, FaceOf, hasNoFocus, useLeft } from "./bits.js";
import { Icon } from "./icons.js";
import { newsOf } from "./transcript.js";
import { Prose } from "./turn.js";
import { Field } from "./fields.js";

// Forms by the turn that they are about and stand below: Map(seq -> form); those of seq 0 stand at the end.
export function formsOf(live) {
	const { status, questions } = live.state;
	const forms = new Map();
	if (!["running", "waiting"].includes(status)) return forms;
	for (const asked of live.view.value?.questions ?? []) {
		if (live.isCaughtUp.value && !questions.has(asked.id)) continue;
		const seq = aboutOf(live, asked)?.seq ?? 0;
		forms.set(seq, [...(forms.get(seq) ?? []), asked]);
	}
	for (const [seq, asked] of forms) forms.set(seq, html`<${Forms} key="forms" live=${live} asked=${asked} />`);
	return forms;
}

const Forms = ({ live, asked }) => html`
	<section class="questions" aria-label="Your turn">
		${asked.map(
			({ id, participant }, n) => html`
				<div class=${`statement ${side(live, participant) || tone(live, participant)}`} key=${id}>
					<${FaceOf} live=${live} id=${participant} />
					<${Question} live=${live} question=${asked[n]} />
				</div>
			`,
		)}
	</section>
`;

// The statement that is to be judged, if there is one.
function aboutOf(live, { id, kind, stage, round }) {
	if (kind === "speak") return undefined;
	return courseOf(live.state).statements.findLast(
		(turn) => turn.stage === stage && turn.round === round && id.endsWith(`/${turn.participant}`),
	);
}

// --- what is hidden -------------------------------------------------------------------------------

const FOR_JUDGES = "What the debaters plan and think: only what they say is judged.";
const FOR_DEBATERS =
	"What the others plan and think, and how the judge weighs and scores. " +
	"Knowing it would be looking at the other side’s cards.";

// While somebody takes part, the server withholds what their chair may not know. Opening the cards is deliberate, and
// recorded. This stands beside the transcript, or in it where there is no room.
export function Veil({ live, isNarrow }) {
	const [isAsking, setAsking] = useState(false);
	const { status, turns } = live.state;
	const isHiding = turns.some((turn) => turn.flags?.includes("hidden"));
	const view = live.view.value;
	if (!view?.is_veiled || !isHiding) return null;
	if (isOver(status) || !view.participants.some((one) => one.model === "human"))
		return !isNarrow && html`<${Elsewhere} view=${view} />`;
	const open = async () => {
		if (await live.send("POST", "/reveal")) setAsking(false);
	};
	const button = html`<button class="btn small" onClick=${() => setAsking(true)}>Open the cards…</button>`;
	const isJudge = view.participants.every((one) => one.model !== "human" || one.role === "judge");
	const told = html`<p>${isJudge ? FOR_JUDGES : FOR_DEBATERS} You see everything when it is over.</p>`;
	return html`
		${
			isNarrow
				? html`
					<details class="fold narrow-note">
						<summary><${Icon} name="eye" small />What others plan and think is hidden while you play</summary>
						${told}${button}
					</details>
				`
				: html`
					<section class="hidden-note">
						<${Icon} name="eye" />
						<div><b>Hidden while you play</b>${told}</div>
						${button}
					</section>
				`
		}
		${
			isAsking &&
			html`
				<${Dialog} title="Open the cards?" onClose=${() => setAsking(false)}>
					<p>${CARDS.reveals}</p>
					<div class="actions end">
						<button class="btn primary" onClick=${open}>Open the cards</button>
					</div>
				<//>
			`
		}
	`;
}

// A fork is no way around the veil while somebody still plays the debate that it was forked from.
function Elsewhere({ view }) {
	if (!view.forked_from) return null;
	return html`
		<div class="notice plain">
			<p>
				What was planned, thought and judged is hidden until${" "}
				<a href=${`/debates/${view.forked_from.debate}`}>the debate that this one was forked from</a>
				${" "}is over, because a person takes part there.
			</p>
		</div>
	`;
}

// --- a form ---------------------------------------------------------------------------------------

const SENDS = { speak: "Say it", score: "Score it", verdict: "Give the verdict" };
const FOLDED = new Set(["speak", "score", "verdict"]); // the heading says enough; the rest can be read above

function begun(where) {
	try {
		return JSON.parse(where.get() || "null");
	} catch {
		return null;
	}
}

// Passing throws away what was written, so it asks first if there is anything.
function Pass({ isSending, hasWords, onPass }) {
	const [isAsked, setAsked] = useState(false);
	const next = useRef(null); // has the focus when the button that was pressed is gone
	const turn = (isOn) => {
		setAsked(isOn);
		setTimeout(() => hasNoFocus() && next.current?.focus());
	};
	if (!isAsked || !hasWords)
		return html`
			<button
				type="button"
				class="btn quiet"
				ref=${next}
				disabled=${isSending}
				onClick=${() => (hasWords ? turn(true) : onPass())}
			>
				Pass
			</button>
		`;
	return html`
		<span class="actions" role="alert">
			Pass, and throw away what you wrote?
			<button type="button" class="btn small danger" disabled=${isSending} onClick=${onPass}>Throw it away</button>
			<button type="button" class="btn small" ref=${next} onClick=${() => turn(false)}>Go on writing</button>
		</span>
	`;
}

export function Question({ live, question }) {
	const where = draft(`${live.id}.${question.id}`);
	const fields = question.form?.fields ?? [{ name: "text", label: "Your words", kind: "long_text", required: true }];
	const [values, setValues] = useState(() => begun(where) ?? {});
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
		if (document.activeElement && document.activeElement !== document.body) return;
		box.current?.querySelector("textarea,input,select")?.focus({ preventScroll: true });
		const news = newsOf(live);
		if (news.isAtEnd || news.hasAnswered) box.current?.scrollIntoView({ block: "nearest" });
		news.hasAnswered = false;
	}, []);
	const send = async (answer) => {
		setSending(true);
		setProblem(null);
		try {
			newsOf(live).hasAnswered = true; // whoever answers goes on to what is asked next
			await live.answer({ [question.id]: answer });
			where.set("");
		} catch (refused) {
			setProblem(refused);
		}
		setSending(false);
	};
	const submit = (event) => {
		event.preventDefault();
		send(question.form ? filled(fields, values) : values.text);
	};
	const asked = fields.filter((field) => isAsked(field, values));
	const isWrong = (field) => problem?.field?.split(/[./]/).includes(field.name);
	const input = (field) => html`
		<${inputOf(field)}
			key=${field.name}
			field=${field}
			value=${values[field.name]}
			onChange=${(value) => change(field.name, value)}
			id=${`${question.id}-${field.name}`}
			error=${isWrong(field) ? problem.detail : ""}
			most=${question.kind === "speak" && !field.aside ? live.state.settings.words : 0}
		/>
	`;
	const isSpeech = question.kind === "speak" || !question.form;
	const isEmpty = isSpeech && asked.some((field) => field.required && !String(values[field.name] ?? "").trim());
	const asides = asked.filter((field) => field.aside);
	const heading = `q-${question.id}`;
	const hasWords = fields.some((field) => typeof values[field.name] === "string" && values[field.name].trim());
	return html`
		<form
			class="turn-form"
			ref=${box}
			onSubmit=${submit}
			aria-labelledby=${heading}
			onKeyDown=${(event) => {
				if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
					event.preventDefault();
					if (!isEmpty) event.currentTarget.requestSubmit();
				}
			}}
		>
			<header>
				<h2 id=${heading}>${question.title}</h2>
				<${Where} live=${live} question=${question} />
			</header>
			<div class="body">
				<${Asked} text=${question.text} isFolded=${FOLDED.has(question.kind)} />
				${asked.filter((field) => !field.aside).map(input)}
				${
					asides.length > 0 &&
					html`<details class="fold aside"><summary>Notes to yourself</summary>${asides.map(input)}</details>`
				}
				${problem && !asked.some(isWrong) && html`<p class="error" role="alert">${problem.detail}</p>`}
			</div>
			<footer>
				${question.may_pass && html`<${Pass} isSending=${isSending} hasWords=${hasWords} onPass=${() => send("")} />`}
				<span class="spring"></span>
				${question.expires_at && html`<${Countdown} until=${question.expires_at} />`}
				<span class="hint keys"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span>
				<button class="btn primary" disabled=${isSending || isEmpty}>${SENDS[question.kind] ?? "Send"}</button>
			</footer>
		</form>
	`;
}

// Which statement it is, or which it is about; and what was asked in the one before.
function Where({ live, question }) {
	const { kind, participant } = question;
	const { statements, numbers } = courseOf(live.state);
	const { turns: most } = live.state.settings;
	const who = called(live, participant) === "You" ? "" : `${live.person(participant).name}. `;
	if (kind === "speak") {
		const last = statements.at(-1);
		const asks = last && last.participant !== participant ? lastQuestion(last.content) : "";
		return html`
			<p class="hint">
				${who}Statement ${statements.length + 1}${most ? ` of ${most}` : ""}.
				${asks && html` ${live.person(last.participant).name} asked: <q dir="auto">${asks}</q>`}
			</p>
		`;
	}
	const about = aboutOf(live, question);
	if (!about) return who && html`<p class="hint">${who}</p>`;
	return html`
		<p class="hint">
			${who}<a href=${`#turn-${about.seq}`}>Statement ${numbers.get(about.seq)}</a>,${" "}
			${live.person(about.participant).name}
		</p>
	`;
}

// Long prompts, which are made for models, are folded: people know by then what it is about.
const Asked = ({ text, isFolded }) =>
	text.length > 420 || isFolded
		? html`
			<details class="fold asked">
				<summary>What you are asked, in full</summary>
				<${Prose} small text=${text} />
			</details>
		`
		: html`<${Prose} small text=${text} />`;

// --- its fields -----------------------------------------------------------------------------------

const SCALE_MAX = 10;
const inputOf = (field) => (field.kind === "long_text" ? Words : isScale(field) ? Scale : Field);
const isScale = ({ kind, is_whole, minimum, maximum }) =>
	kind === "number" && is_whole && minimum === 0 && maximum <= SCALE_MAX;

function Words({ field, value = "", onChange, id, error, most }) {
	const words = value.split(/\s+/).filter(Boolean).length;
	return html`
		<div class="field">
			<label for=${id}>${field.label}</label>
			<textarea
				class="input"
				id=${id}
				dir="auto"
				rows=${most ? 5 : 2}
				maxlength="20000"
				required=${field.required}
				aria-invalid=${error ? "true" : undefined}
				aria-describedby=${error ? `${id}-error` : undefined}
				value=${value}
				onInput=${(event) => onChange(event.target.value)}
			></textarea>
			${
				most > 0 &&
				html`
					<p class="hint counts">
						<span class="num">${plural(words, "word")}; the others write about ${most}.</span>
						<span class="spring"></span>
						${value && html`<span>Kept as you type</span>`}
					</p>
				`
			}
			${error && html`<p class="error" id=${`${id}-error`} role="alert">${error}</p>`}
		</div>
	`;
}

// A whole number from 0 to 10: a row of buttons, of which one is pressed; a digit presses one, too.
function Scale({ field, value, onChange, id, error }) {
	const onKey = (event) => {
		const digit = Number(event.key);
		if (!/^\d$/.test(event.key) || digit > field.maximum) return;
		event.preventDefault();
		onChange(digit);
		event.currentTarget.querySelectorAll("input")[digit].focus();
	};
	return html`
		<fieldset class="scale" onKeyDown=${onKey} aria-describedby=${error ? `${id}-error` : undefined}>
			<legend>${field.label}</legend>
			<div class="scale-in">
				${Array.from(
					{ length: field.maximum + 1 },
					(_, n) => html`
						<label key=${n}>
							<input
								type="radio"
								name=${id}
								required=${field.required}
								checked=${value !== "" && value != null && Number(value) === n}
								onChange=${() => onChange(n)}
							/>
							<span>${n}</span>
						</label>
					`,
				)}
			</div>
			${error && html`<p class="error" id=${`${id}-error`} role="alert">${error}</p>`}
		</fieldset>
	`;
}

// Whether a field is asked for. Some are only if another field has certain values, such as the note of a checkpoint.
const isAsked = (field, values) =>
	Object.entries(field.when ?? {}).every(([other, wanted]) => wanted.includes(values[other]));

const READ = {
	number: Number,
	list: (value) =>
		String(value)
			.split("\n")
			.map((line) => line.trim())
			.filter(Boolean),
};

function filled(fields, values) {
	const made = {};
	for (const field of fields.filter((one) => isAsked(one, values))) {
		const value = values[field.name];
		if (value !== undefined && value !== "") made[field.name] = READ[field.kind]?.(value) ?? value;
		else if (field.required && field.kind === "bool") made[field.name] = false;
	}
	return made;
}

export function Countdown({ until, text = (s) => `${s} s left` }) {
	return html`<span class="hint" role="timer">${text(useLeft(until, Infinity))}</span>`;
}
