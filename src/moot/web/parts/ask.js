// The box that a debate begins in: a question, a format or a panel, a cast, a model, a length, the price and Start.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import * as draft from "../lib/composing.js";
import { fetched } from "../lib/fetched.js";
import { listed } from "../lib/models.js";
import { panels } from "../lib/panels.js";
import { go } from "../lib/route.js";
import { wrongWith } from "../lib/schema.js";
import { say } from "../lib/toasts.js";
import { Do } from "./fields.js";
import { Foot } from "./forecast.js";
import { Formats, Panels, Seated } from "./formats.js";
import { Icon } from "./icons.js";

const { chosen, files, form, mistakes, problem } = draft;
// Needed only by people who begin a debate.
const Choices = fetched(
	() => import("./choices.js").then((module) => module.Choices),
	() => html`<section><div class="bone block"></div><div class="bone block"></div></section>`,
);
const MOST_BYTES = 256 * 1024;

export function Ask({
	isSlim = false,
	file = "",
	panel = "",
	placeholder = "Put a question to the moot",
	class: own = "",
}) {
	const [isOpen, setOpen] = useState(!isSlim);
	const [isBusy, setBusy] = useState(false);
	const isSending = useRef(false);
	const box = useRef(null);
	const open = () => setOpen(true);
	const { topic } = form.value;
	const wrong = problem.value;
	const isAwaited = !chosen.value || (form.value.panel && !panels.value);
	useEffect(() => {
		draft.load(file, panel);
	}, []);
	useEffect(() => {
		if (!wrong?.at) return;
		open();
		// Once folds and seats have opened.
		setTimeout(() => box.current?.querySelector("[aria-invalid=true]")?.focus(), 50);
	}, [wrong?.at]);
	const begin = async (start) => {
		if (isAwaited || isSending.current) return; // a key that is held down asks again and again
		const typed = [...box.current.querySelectorAll("input:invalid, textarea:invalid")].map(wrongWith);
		const missing = draft.missing();
		const isNew = ({ field }) => field && !missing.some((one) => one.field === field);
		const errors = [...missing, ...typed.filter(isNew)];
		if (errors.length) {
			draft.refuse({ errors });
			return;
		}
		isSending.current = true;
		setBusy(true);
		try {
			const made = await draft.create(start);
			go(`/debates/${made.id}`);
		} catch (refused) {
			draft.refuse(refused);
			setBusy(false);
			isSending.current = false;
		}
	};
	const onKey = (event) => {
		if (event.key !== "Enter") return;
		if (event.ctrlKey || event.metaKey) begin(true);
		// A debate costs money: it begins with Start, not with the end of a name.
		else if (event.target.tagName === "INPUT") event.preventDefault();
	};
	// A button that cannot be pressed yet can still have the focus, so that it can say why.
	const unready = !topic.trim() ? "Write a question first." : isAwaited ? "The formats are being fetched." : "";
	const off = { "aria-disabled": Boolean(unready) || isBusy, "aria-describedby": unready ? "unready" : undefined };
	const save = (place) => html`
		<button type="button" class=${`btn quiet ${place}`} ...${off} onClick=${() => begin(false)}>
			Save for later
		</button>
	`;
	const why = html`<p class="hint unready" id="unready">${unready}</p>`;
	const start = html`
		<button class="btn primary large" ...${off}>
			<${Icon} name="play" />
			<span>${draft.panel.value ? (isBusy ? "Asking…" : "Ask") : isBusy ? "Starting…" : "Start"}</span>
		</button>
	`;
	const isWrong = mistakes.value.has("topic");
	return html`
		<form
			class=${`card composer ${isOpen ? "open wide" : ""} ${own}`}
			aria-label="New debate"
			noValidate
			ref=${box}
			onKeyDown=${onKey}
			onSubmit=${(event) => {
				event.preventDefault();
				begin(true);
			}}
		>
			<label class="unseen" for="ask">Your question or claim</label>
			<textarea
				class="ask"
				id="ask"
				rows=${isSlim ? 1 : 2}
				maxlength="2000"
				placeholder=${placeholder}
				value=${topic}
				aria-invalid=${isWrong ? "true" : undefined}
				aria-describedby=${isWrong ? "ask-error" : undefined}
				onInput=${(event) => {
					open();
					draft.change({ topic: event.target.value }, "topic");
				}}
			></textarea>
			${isWrong && html`<p class="error inset" id="ask-error" role="alert">${mistakes.value.get("topic")}</p>`}
			${
				isOpen
					? html`
						<${Attached} />
						<section>
							<h2 class="unseen">Format</h2>
							<${Formats} />
							${draft.told.value && html`<${Changed} />`}
							<${Panels} />
						</section>
						${
							draft.panel.value
								? html`<${Seated} key=${draft.panel.value.name}>${save("only-narrow small")}<//>`
								: html`<${Choices}>${save("only-narrow small")}<//>`
						}
						<${Foot} isToyTold=${isSlim}>${why} ${save("secondary")} ${start}<//>
					`
					: html`
						<footer class="inside">
							<${Formats} isSlim open=${open} />
							<span class="spring"></span>
							<span class="unseen" id="unready">${unready}</span>
							${start}
						</footer>
					`
			}
		</form>
	`;
}

// Says what is wrong with a file before anything is sent.
async function read(file) {
	if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 256 kB.`);
	const content = await file.text();
	if (/[\0\uFFFD]/.test(content)) throw new Error(`${file.name} is not a text file.`);
	return { name: file.name, content };
}

function Attached() {
	const without = (name) => files.value.filter((one) => one.name !== name);
	const take = async ({ target }) => {
		const taken = [...target.files];
		target.value = "";
		for (const one of taken) {
			try {
				const made = await read(one);
				files.value = [...without(one.name), made];
			} catch (refused) {
				say(refused.message, { kind: "bad" });
			}
		}
	};
	const wrong = mistakes.value.get("attachments");
	return html`
		<div class="attached">
			${files.value.map(
				({ name }) => html`
					<span class="pill" key=${name}>
						<${Icon} name="file" />
						<span class="cut">${name}</span>
						<button
							type="button"
							class="bare"
							aria-label=${`Remove ${name}`}
							onClick=${() => {
								files.value = without(name);
							}}
						>
							<${Icon} name="close" />
						</button>
					</span>
				`,
			)}
			<label class="btn quiet small">
				<input class="unseen" type="file" multiple onChange=${take} />
				<${Icon} name="clip" small />
				Attach a text
			</label>
			${
				draft.isChanged() &&
				html`
					<${Do}
						look="quiet"
						onClick=${async () => say("A clean form.", { action: { name: "Undo", run: await draft.startOver() } })}
					>
						Start over
					<//>
				`
			}
			${wrong && html`<p class="error" role="alert">${wrong}</p>`}
		</div>
	`;
}

function Changed() {
	const { out, lost, isKept } = draft.told.value;
	return html`
		<div class="notice plain" role="status">
			<${Icon} name="swap" />
			<p>
				${isKept ? "The cast stays, as far as it fits. " : ""}
				${out.length ? `${listed(out)} ${out.length > 1 ? "have" : "has"} no seat here. ` : ""}
				${lost.length ? `Not used here: ${listed(lost)}.` : ""}
			</p>
			<${Do} onClick=${draft.undo}>Undo<//>
		</div>
	`;
}
