// The box that a debate begins in: a question, a format, a cast, a model, a length, the price and Start.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import * as draft from "../lib/composing.js";
import { FIRST, formatOf, lengthsOf } from "../lib/formats.js";
import { listed } from "../lib/models.js";
import { go } from "../lib/route.js";
import { settingsOf, wrongWith } from "../lib/schema.js";
import { say } from "../lib/toasts.js";
import { money, plural, roughly } from "../lib/words.js";
import { Do, Field } from "./fields.js";
import { Glyph, Icon } from "./icons.js";
import { EachSeat, ModelPicker } from "./picker.js";
import { Cast } from "./seats.js";
import { ToyNotice } from "./toy.js";

const { chosen, fields, files, form, formats, inWords, mistakes, problem } = draft;
const FORECAST_MS = 400;
const MOST_BYTES = 256 * 1024;
const GROUPS = { course: "Course", limits: "Limits", models: "Thinking and sampling" };
const INSIDE = "Exact lengths, limits, thinking and sampling. All at their defaults.";
// The seats say who argues what, and the list of models which is used.
const ELSEWHERE = new Set(["stance_a", "model_debater", "model_judge"]);
const rank = ({ id }) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);

export function Ask({ isSlim = false, file = "", placeholder = "Put a question to the moot", class: own = "" }) {
	const [isOpen, setOpen] = useState(!isSlim);
	const [isBusy, setBusy] = useState(false);
	const isSending = useRef(false);
	const box = useRef(null);
	const open = () => setOpen(true);
	const { topic } = form.value;
	const wrong = problem.value;
	useEffect(() => {
		draft.load(file);
	}, []);
	useEffect(() => {
		if (!wrong?.at) return;
		open();
		// Once folds and seats have opened.
		setTimeout(() => box.current?.querySelector("[aria-invalid=true]")?.focus(), 50);
	}, [wrong?.at]);
	const begin = async (start) => {
		if (!chosen.value || isSending.current) return; // a key that is held down asks again and again
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
	// What cannot be pressed yet can still be reached, so that it can say why.
	const unready = !topic.trim() ? "Write a question first." : chosen.value ? "" : "The formats are being fetched.";
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
			<span>${isBusy ? "Starting…" : "Start"}</span>
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
						</section>
						<${Cast} />
						<section class="two">
							<div>
								<h2>Model</h2>
								<${ModelPicker} error=${wrong?.code === "no_model" && wrong.detail} />
							</div>
							<${Length} />
							${form.value.isPerSeat && html`<${EachSeat} />`}
							<${Advanced} />
							${save("only-narrow small")}
						</section>
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

function Formats({ isSlim, open }) {
	const now = form.value.format;
	const all = formats.value.length ? formats.value : FIRST.map((id) => ({ id }));
	const shown = all.filter(({ id }) => FIRST.includes(id) || (draft.isMore.value && !isSlim) || id === now);
	const more = () => {
		draft.isMore.value = true;
		open?.();
	};
	const card = ({ id, when_to_use: about }) => {
		const { name, nick, end } = formatOf(id);
		const take = () => {
			open?.();
			draft.choose(id);
		};
		return html`
			<label class="format" title=${about} key=${id}>
				<input class="unseen" type="radio" name="format" value=${id} checked=${id === now} onChange=${take} />
				<${Glyph} format=${id} />
				<b>${isSlim ? nick : name}</b>
				${!isSlim && html`<small>${end || about}</small>`}
			</label>
		`;
	};
	return html`
		<div
			class=${`formats ${isSlim ? "slim" : shown.length > FIRST.length ? "all" : ""}`}
			role="radiogroup"
			aria-label="Format"
		>
			${shown.toSorted((a, b) => rank(a) - rank(b)).map(card)}
			${
				shown.length < all.length &&
				html`
					<button type="button" class=${isSlim ? "btn quiet small" : "format more"} onClick=${more}>
						${isSlim ? "More" : "More formats"}
					</button>
				`
			}
		</div>
	`;
}

// What is wrong with a file is said before it is sent.
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

function Length() {
	const { values, format } = form.value;
	const length = lengthsOf(format, fields.value);
	if (!length) return html`<div></div>`;
	const set = (field) => Number(values[field?.name] ?? field?.initial);
	const now = set(length.field);
	const words = set(fields.value.find((one) => one.name === "words"));
	const isWrong = [length.field.name, "words"].some((name) => mistakes.value.has(`settings.${name}`)) || now < 0;
	const amount = isWrong
		? ["See Advanced"]
		: [now ? plural(now, length.unit) : "No limit", words && `about ${words} words each time`];
	return html`
		<div>
			<h2 id="length">Length</h2>
			<div class="seg" role="group" aria-labelledby="length">
				${Object.entries(length.steps).map(
					([name, n]) => html`
						<button type="button" aria-pressed=${now === n} onClick=${() => draft.setValue(length.field.name, n)}>
							${name}
						</button>
					`,
				)}
			</div>
			<p class="hint lengths">${amount.filter(Boolean).join(", ")}.</p>
		</div>
	`;
}

function Advanced() {
	const { values } = form.value;
	const box = useRef(null);
	const wrong = (field) => mistakes.value.get(`settings.${field.name}`);
	const shown = fields.value.filter((field) => !ELSEWHERE.has(field.name));
	shown.sort((a, b) => (b.name === "premise") - (a.name === "premise"));
	const others = Object.keys(settingsOf(shown, values)).map(draft.labelOf);
	useEffect(() => {
		if (shown.some(wrong)) box.current.open = true;
	}, [problem.value?.at]);
	const input = (field) => html`
		<${Field}
			key=${field.name}
			id=${`setting-${field.name}`}
			field=${{ ...field, about: inWords(field.about) }}
			value=${values[field.name] ?? (field.kind === "list" ? "" : field.initial)}
			error=${wrong(field)}
			onChange=${(value) => draft.setValue(field.name, value)}
		/>
	`;
	return html`
		<div class="advanced">
			<details class="fold" ref=${box}>
				<summary>Advanced</summary>
				${Object.entries(GROUPS).map(
					([group, name]) => html`
						<fieldset>
							<legend>${name}</legend>
							<div class="fields">${shown.filter((field) => field.group === group).map(input)}</div>
						</fieldset>
					`,
				)}
			</details>
			<p class="hint">${others.length ? `Changed: ${listed(others)}.` : INSIDE}</p>
		</div>
	`;
}

// What it will take, as {seen} or {refused}; {isPending} until that is known of what stands here now, with the `last`
// that was seen.
function useForecast() {
	const [found, setFound] = useState({});
	const body = chosen.value ? JSON.stringify(draft.foreseen()) : "";
	useEffect(() => {
		const abort = new AbortController();
		const look = () =>
			post("/api/forecasts", JSON.parse(body), { signal: abort.signal }).then(
				(seen) => setFound({ of: body, seen }),
				(refused) => refused.name !== "AbortError" && setFound({ of: body, refused }),
			);
		const timer = body && setTimeout(look, found.of ? FORECAST_MS : 0);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [body]);
	return found.of === body ? found : { isPending: true, last: found.seen };
}

function priced(cost) {
	if (!cost?.high) return cost ? "Free" : "";
	const both = [money(cost.low), money(cost.high)];
	return both[0] === both[1] ? both[0] : both.join(" to ");
}

// The price, or the calls where it is not known; then the time, and the rest where there is room.
function told(seen) {
	const calls = `${plural(seen.calls, "call")} at most`;
	const price = priced(seen.cost_usd);
	const more = [price && calls, seen.unpriced.length && `price of ${listed(seen.unpriced)} unknown`].filter(Boolean);
	return html`
		<b>${price || calls}</b>
		${seen.runtime_s != null && ` · ${roughly(seen.runtime_s)}`}
		<span class="wide">${more.map((one) => ` · ${one}`)}</span>
	`;
}

function Foot({ isToyTold, children }) {
	const { seen, last, refused, isPending } = useForecast();
	const known = seen ?? last; // notices that came and went with every change would move what is being pressed
	const wrong = problem.value;
	const cap = form.value.values.max_cost_usd;
	const isSure = wrong?.isStart && wrong.status >= 400 && wrong.status < 500; // else the answer may be lost
	return html`
		${known?.warnings.map((one) => html`<p class="notice" role="status" key=${one}>${inWords(one)}</p>`)}
		${known && !isToyTold && html`<${ToyNotice} models=${known.models} />`}
		<div role="status">
			${wrong && html`<p class="error inset">${isSure ? "Not started. " : ""}${draft.explained(wrong)}</p>`}
		</div>
		<footer>
			<p class="forecast" role="status" aria-busy=${Boolean(isPending)}>
				${isPending && html`<span class="hint">Working out what it takes…</span>`}
				${seen && told(seen)} ${refused && !wrong && draft.explained(refused, 1)}
				${seen && cap && html`<br /><span class="hint">Stops by itself at $${Number(cap)}</span>`}
			</p>
			<span class="spring"></span>
			${children}
		</footer>
	`;
}
