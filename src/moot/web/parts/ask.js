// The box that a debate begins in: a question, a format, a cast, a model, a length, the price and Start.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import {
	change,
	chosen,
	choose,
	create,
	fields,
	files,
	form,
	formats,
	load,
	problem,
	setValue,
	told,
	undo,
	wanted,
} from "../lib/composing.js";
import { FIRST, formatOf, lengthsOf } from "../lib/formats.js";
import { listed } from "../lib/models.js";
import { go } from "../lib/route.js";
import { labelOf, settingsOf } from "../lib/schema.js";
import { say } from "../lib/toasts.js";
import { money, plural } from "../lib/words.js";
import { Field } from "./fields.js";
import { Glyph, Icon } from "./icons.js";
import { ModelPicker } from "./picker.js";
import { Cast } from "./seats.js";
import { ToyNotice } from "./toy.js";

const FORECAST_MS = 400;
const MOST_BYTES = 256 * 1024;
const GROUPS = [
	["course", "Course"],
	["limits", "Limits"],
	["models", "Thinking and sampling"],
];
const INSIDE = "Premise, private thinking, limits, sampling. All at their defaults.";
// The seats say who argues what, and the list of models which is used.
const ELSEWHERE = new Set(["premise", "stance_a", "model_debater", "model_judge"]);

export function Ask({ isSlim = false, file = "", placeholder = "Put a question to the moot", class: own = "" }) {
	const [isOpen, setOpen] = useState(!isSlim);
	const [isMore, setMore] = useState(false);
	const [isBusy, setBusy] = useState(false);
	const box = useRef(null);
	const { topic, format } = form.value;
	useEffect(() => {
		load(file);
	}, []);
	const wrong = problem.value;
	useEffect(() => {
		if (!wrong?.field) return;
		setOpen(true);
		// Once folds and seats have opened.
		setTimeout(() => box.current?.querySelector("[aria-invalid=true]")?.focus(), 50);
	}, [wrong]);

	const begin = async (start) => {
		const hidden = box.current.querySelector("details:not([open]) :invalid");
		if (hidden) hidden.closest("details").open = true;
		if (!box.current.reportValidity()) return;
		setBusy(true);
		try {
			const made = await create(start);
			go(`/debates/${made.id}`);
		} catch (refused) {
			problem.value = refused;
			setOpen(true);
			setBusy(false);
		}
	};
	const onKey = (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) begin(true);
	};
	const known = formats.value.length ? formats.value : FIRST.map((id) => ({ id }));
	const shown = known.filter((one) => FIRST.includes(one.id) || isMore || one.id === format);
	const ordered = shown.toSorted((a, b) => rank(a.id) - rank(b.id));
	const more = known.length - shown.length;
	const isReady = Boolean(topic.trim()) && chosen.value && !isBusy;
	const save = (place) => html`
		<button
			type="button"
			class=${`btn quiet ${place}`}
			disabled=${!isReady}
			onClick=${() => begin(false)}
		>
			Save for later
		</button>
	`;
	const formatted = html`
		<div class=${`formats ${isOpen ? "" : "slim"} ${shown.length > 4 ? "all" : ""}`} role="radiogroup" aria-label="Format">
			${ordered.map(
				(one) => html`
					<${FormatCard}
						key=${one.id}
						id=${one.id}
						isSlim=${!isOpen}
						isOn=${one.id === format}
						about=${one.when_to_use}
						onChoose=${() => {
							setOpen(true);
							choose(one.id);
						}}
					/>
				`,
			)}
			${
				more > 0 &&
				html`
					<button
						type="button"
						class=${isOpen ? "format more" : "btn quiet small"}
						onClick=${() => {
							setMore(true);
							setOpen(true);
						}}
					>
						${isOpen ? "More formats" : "More"}
					</button>
				`
			}
		</div>
	`;
	const start = html`
		<button class="btn primary large" disabled=${!isReady}>
			<${Icon} name="play" />
			<span>${isBusy ? "Starting…" : "Start"}</span>
		</button>
	`;
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
				aria-invalid=${wrong?.field === "topic" ? "true" : undefined}
				aria-describedby=${wrong?.field === "topic" ? "ask-error" : undefined}
				onInput=${(event) => {
					setOpen(true);
					change({ topic: event.target.value });
				}}
			></textarea>
			${wrong?.field === "topic" && html`<p class="error inset" id="ask-error" role="alert">${wrong.detail}</p>`}
			${
				isOpen
					? html`
						<${Attached} />
						<section>
							<h2 class="unseen">Format</h2>
							${formatted}
							${told.value && html`<${Changed} />`}
						</section>
						<${Cast} />
						<section class="two">
							<div>
								<h2>Model</h2>
								<${ModelPicker} error=${wrong?.code === "no_model" ? wrong.detail : ""} />
							</div>
							<${Length} />
							<${Advanced} />
							${save("only-narrow small")}
						</section>
						<${Foot} start=${start} save=${save("secondary")} />
					`
					: html`
						<footer class="inside">
							${formatted}
							<span class="spring"></span>
							${start}
						</footer>
					`
			}
		</form>
	`;
}

const rank = (id) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);

function FormatCard({ id, isOn, isSlim, about, onChoose }) {
	const { name, short, end } = formatOf(id);
	return html`
		<label class="format" title=${about}>
			<input class="unseen" type="radio" name="format" value=${id} checked=${isOn} onChange=${onChoose} />
			<${Glyph} format=${id} />
			<b>${isSlim ? short : name}</b>
			${!isSlim && html`<small>${end || about}</small>`}
		</label>
	`;
}

function Attached() {
	const input = useRef(null);
	const take = async (event) => {
		const chosenFiles = [...event.target.files];
		event.target.value = "";
		for (const one of chosenFiles) {
			const content = one.size > MOST_BYTES ? "" : await one.text();
			if (one.size > MOST_BYTES) say(`${one.name} is larger than 256 kB.`, { kind: "bad" });
			else if (/[\0\uFFFD]/.test(content)) say(`${one.name} is not a text file.`, { kind: "bad" });
			else files.value = [...files.value.filter((each) => each.name !== one.name), { name: one.name, content }];
		}
	};
	const wrong = problem.value?.field?.startsWith("attachments") && problem.value.detail;
	return html`
		<div class="attached">
			${files.value.map(
				(one) => html`
					<span class="pill" key=${one.name}>
						<${Icon} name="file" />
						<span class="cut">${one.name}</span>
						<button
							type="button"
							class="bare"
							aria-label=${`Remove ${one.name}`}
							onClick=${() => {
								files.value = files.value.filter((each) => each !== one);
							}}
						>
							<${Icon} name="close" />
						</button>
					</span>
				`,
			)}
			<input class="unseen" type="file" multiple tabindex="-1" aria-hidden="true" ref=${input} onChange=${take} />
			<button type="button" class="btn quiet small" onClick=${() => input.current.click()}>
				<${Icon} name="clip" small />
				Attach a text
			</button>
			${wrong && html`<p class="error" role="alert">${wrong}</p>`}
		</div>
	`;
}

function Changed() {
	const { out, lost, isKept } = told.value;
	return html`
		<div class="notice plain" role="status">
			<${Icon} name="swap" />
			<p>
				${isKept ? "The cast stays, as far as it fits. " : ""}
				${out.length ? `${listed(out)} ${out.length > 1 ? "have" : "has"} no seat here. ` : ""}
				${lost.length ? `Not used here: ${listed(lost)}.` : ""}
			</p>
			<button type="button" class="btn small" onClick=${undo}>Undo</button>
		</div>
	`;
}

function Length() {
	const { values, format } = form.value;
	const length = lengthsOf(format, fields.value);
	const words = Number(values.words ?? fields.value.find((one) => one.name === "words")?.initial);
	if (!length) return html`<div></div>`;
	const now = Number(values[length.field.name] ?? length.field.initial);
	return html`
		<div>
			<h2 id="length">Length</h2>
			<div class="seg" role="group" aria-labelledby="length">
				${Object.entries(length.steps).map(
					([name, n]) => html`
						<button type="button" aria-pressed=${now === n} onClick=${() => setValue(length.field.name, n)}>
							${name}
						</button>
					`,
				)}
			</div>
			<p class="hint lengths">${length.say(now)}${words ? ` of about ${words} words` : ""}.</p>
		</div>
	`;
}

function Advanced() {
	const { values } = form.value;
	const box = useRef(null);
	const wrong = problem.value?.field?.match(/^settings\.(\w+)/)?.[1];
	const shown = fields.value.filter((field) => field.name === "premise" || !ELSEWHERE.has(field.name));
	shown.sort((a, b) => (b.name === "premise") - (a.name === "premise"));
	const isOther = new Set(Object.keys(settingsOf(shown, values)));
	const others = shown.filter((field) => isOther.has(field.name));
	useEffect(() => {
		if (wrong) box.current.open = true;
	}, [problem.value]);
	const fieldFor = (field) => html`
		<${Field}
			key=${field.name}
			id=${`setting-${field.name}`}
			field=${field}
			value=${values[field.name] ?? (field.kind === "list" ? "" : field.initial) ?? ""}
			error=${wrong === field.name && problem.value.detail}
			onChange=${(value) => setValue(field.name, value)}
		/>
	`;
	return html`
		<div class="advanced">
			<details class="fold" id="advanced" ref=${box}>
				<summary>Advanced</summary>
			${GROUPS.map(
				([group, name]) => html`
					<fieldset>
						<legend>${name}</legend>
						<div class="fields">${shown.filter((field) => field.group === group).map(fieldFor)}</div>
					</fieldset>
				`,
			)}
			</details>
			<p class="hint">
				${others.length ? `Changed: ${listed(others.map((field) => field.label))}.` : INSIDE}
			</p>
		</div>
	`;
}

function useForecast() {
	const [seen, setSeen] = useState(null);
	const [refusal, setRefusal] = useState(null);
	const now = wanted();
	const body = chosen.value ? JSON.stringify({ ...now, topic: now.topic || "?" }) : "";
	useEffect(() => {
		if (!body) return undefined;
		const abort = new AbortController();
		const look = () =>
			post("/api/forecasts", JSON.parse(body), { signal: abort.signal }).then(
				(found) => {
					setSeen(found);
					setRefusal(null);
				},
				(refused) => {
					if (refused.name === "AbortError") return;
					setSeen(null);
					setRefusal(refused);
				},
			);
		const timer = setTimeout(look, FORECAST_MS);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [body]);
	return [seen, refusal];
}

function priced({ cost_usd: cost }) {
	if (!cost) return "";
	if (!cost.high) return "Free";
	const [low, high] = [money(cost.low), money(cost.high)];
	return low === high ? low : `${low} to ${high}`;
}

const named = (field) => {
	const [, setting] = field?.match(/^settings\.(\w+)/) ?? [];
	return setting ? `${labelOf(setting)}: ` : "";
};

function Foot({ start, save }) {
	const [seen, refusal] = useForecast();
	const wrong = problem.value;
	const cap = form.value.values.max_cost_usd;
	const calls = seen && `${plural(seen.calls, "call")} at most`;
	const price = seen && priced(seen);
	return html`
		${seen?.warnings.map((one) => html`<p class="notice inset" role="status" key=${one}>${one}</p>`)}
		${seen && html`<${ToyNotice} models=${seen.models} />`}
		${wrong && html`<p class="error inset" role="status">Not started. ${named(wrong.field)}${wrong.detail}</p>`}
		<footer>
			<p class="forecast" role="status">
				${
					seen
						? html`
							<b>${price || calls}</b>
							<span class="wide">
								${price ? ` · ${calls}` : ""}
								${seen.unpriced.length ? ` · price of ${listed(seen.unpriced)} unknown` : ""}
							</span>
						`
						: refusal && html`${named(refusal.field)}${refusal.detail}`
				}
				${
					cap &&
					html`
						<br />
						<span class="hint">
							Stops by itself at${" "}
							<a
								href="#advanced"
								onClick=${(event) => {
									event.preventDefault();
									document.getElementById("advanced").open = true;
									document.getElementById("setting-max_cost_usd").focus();
								}}
							>
								$${Number(cap)}
							</a>
						</span>
					`
				}
			</p>
			<span class="spring"></span>
			${save} ${start}
		</footer>
	`;
}
