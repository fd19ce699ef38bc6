// A new debate: format, topic, who takes part, settings, and what it will take, before it is started.
import { html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { get, once, post } from "../lib/api.js";
import { draft } from "../lib/keep.js";
import { go } from "../lib/route.js";
import { fieldsOf, settingsOf } from "../lib/schema.js";
import { count, money, plural, Words } from "../lib/words.js";
import { FormatSketch } from "../parts/diagram.js";
import { Field } from "../parts/fields.js";
import { Roster, participantsOf, starter } from "../parts/roster.js";
import { Icon } from "../parts/icons.js";
import { ToyNotice } from "../parts/toy.js";

const FORECAST_MS = 500;
const TOPIC = {
	name: "topic",
	label: "Topic",
	kind: "long_text",
	required: true,
	about: "A question or a task, as you would put it to people.",
};
const kept = draft("new");
const blank = { format: "duel", topic: "", values: {}, isChosen: false, rows: null, me: "", seat: "" };
const MY_NAME = { name: "me", label: "Take part yourself", kind: "text", about: "Your name; empty to watch." };
const SEATS = {
	council: ["member", "judge"],
	room: ["member"],
	duel: ["debater", "pro", "con", "judge"],
	rounds: ["debater", "judge"],
};
const seatsOf = (format) => SEATS[format] ?? ["debater", "pro", "con", "moderator"];
const begun = () => {
	try {
		return { ...blank, ...JSON.parse(kept.get() || "{}") };
	} catch {
		return blank;
	}
};

export function NewDebate() {
	const [form, setForm] = useState(begun);
	const [formats, setFormats] = useState([]);
	const [personas, setPersonas] = useState([]);
	const [models, setModels] = useState([]);
	const [problem, setProblem] = useState(null);
	const [isBusy, setBusy] = useState(false);
	const box = useRef(null);
	useEffect(() => {
		once("/api/formats")
			.then((page) => Promise.all(page.items.map((one) => once(`/api/formats/${one.id}`))))
			.then(setFormats, setProblem);
		get("/api/personas").then(
			(page) => setPersonas(page.items),
			() => {},
		);
		get("/api/models").then(
			(page) =>
				setModels(page.items.filter((one) => one.is_usable && one.default_model).map((one) => one.default_model)),
			() => {},
		);
	}, []);
	// Two fields may change before the page is drawn again: what counts is the latest, not what was drawn.
	const latest = useRef(form);
	const change = (changes) => {
		latest.current = { ...latest.current, ...(typeof changes === "function" ? changes(latest.current) : changes) };
		setForm(latest.current);
		kept.set(JSON.stringify(latest.current));
		setProblem(null);
	};
	const chosen = formats.find((one) => one.id === form.format) ?? formats[0];
	const fields = useMemo(() => (chosen ? fieldsOf(chosen.settings_schema) : []), [chosen]);
	const rows = form.rows ?? starter(form.format);
	const seats = seatsOf(chosen?.id ?? form.format);
	const seat = seats.includes(form.seat) ? form.seat : seats[0];
	const wanted = {
		topic: form.topic.trim(),
		format: chosen?.id ?? form.format,
		settings: settingsOf(fields, form.values),
		...(form.isChosen && { participants: participantsOf(rows) }),
		...(!form.isChosen && form.me.trim() && { me: { name: form.me.trim(), as: seat } }),
	};
	const errors = problem?.field ? { [problem.field]: problem.detail } : {};
	useEffect(() => {
		if (problem?.field) box.current?.querySelector("[aria-invalid=true]")?.focus();
	}, [problem]);

	const create = async (start) => {
		if (!box.current.reportValidity()) return;
		setBusy(true);
		try {
			const made = await post("/api/debates", { ...wanted, start });
			kept.set("");
			go(`/debates/${made.id}`);
		} catch (refused) {
			setProblem(refused);
			setBusy(false);
		}
	};
	const choose = ({ id }) =>
		change({ format: id, values: keepCommon(form.values), rows: form.isChosen ? form.rows : null });
	const setting = (name) => fields.find((field) => field.name === name);
	const fieldFor = (field) => html`
		<${Field}
			key=${field.name}
			id=${`setting-${field.name}`}
			field=${{ ...field, required: false }}
			value=${form.values[field.name] ?? field.initial ?? ""}
			error=${errors[`settings.${field.name}`]}
			onChange=${(value) => change((now) => ({ values: { ...now.values, [field.name]: value } }))}
		/>
	`;
	const rest = fields.filter((field) => field.name !== "premise");
	const group = (name) => rest.filter((field) => field.group === name);
	const isUnplaced =
		problem &&
		!["topic", "premise"].includes(problem.field) &&
		!/^(settings\.|participants\.\d)/.test(problem.field ?? "");

	return html`
		<form
			class="new"
			ref=${box}
			onSubmit=${(event) => {
				event.preventDefault();
				create(true);
			}}
		>
			<div class="page-head"><h1>New debate</h1></div>
			<div class="columns">
				<div class="column">
					<fieldset class="formats">
						<legend>Format</legend>
						${formats.length === 0 && html`<div class="bone"></div>`}
						${formats.map(
							(one) => html`
								<label key=${one.id} class=${one === chosen ? "format-card on" : "format-card"}>
									<input
										type="radio"
										name="format"
										value=${one.id}
										checked=${one === chosen}
										onChange=${() => choose(one)}
									/>
									<b>${Words(one.id)}</b>
									<${FormatSketch} form=${one} />
									<span>${one.when_to_use}</span>
								</label>
							`,
						)}
					</fieldset>
					<${Field}
						id="topic"
						field=${TOPIC}
						value=${form.topic}
						error=${errors.topic}
						onChange=${(topic) => change({ topic })}
					/>
					${setting("premise") && fieldFor(setting("premise"))}
					<fieldset class="takes-part">
						<legend>Who takes part</legend>
						<div class="segmented" role="radiogroup" aria-label="Who takes part">
							<label>
								<input
									type="radio"
									name="who"
									checked=${!form.isChosen}
									onChange=${() => change({ isChosen: false })}
								/>
								<span>Moot chooses</span>
							</label>
							<label>
								<input
									type="radio"
									name="who"
									checked=${form.isChosen}
									onChange=${() => change({ isChosen: true, rows })}
								/>
								<span>I choose</span>
							</label>
						</div>
						${
							form.isChosen
								? html`
									<${Roster}
										rows=${rows}
										onChange=${(update) => change((now) => ({ rows: update(now.rows ?? starter(now.format)) }))}
										personas=${personas}
										models=${models}
										errors=${errors}
									/>
								`
								: html`
									<p class="hint">
										Personas are drawn for you, or the format's own roster is taken; the draw is recorded.
									</p>
									<div class="fields">
										<${Field}
											id="me"
											field=${MY_NAME}
											value=${form.me}
											error=${errors.me}
											onChange=${(me) => change({ me })}
										/>
										${
											form.me.trim() &&
											html`
												<${Field}
													id="seat"
													field=${{
														name: "seat",
														label: "As",
														kind: "choice",
														choices: seats.map((value) => ({ value, label: Words(value) })),
													}}
													value=${seat}
													onChange=${(value) => change({ seat: value })}
												/>
											`
										}
									</div>
								`
						}
						${errors.participants && html`<p class="error" role="alert">${errors.participants}</p>`}
					</fieldset>
					<fieldset>
						<legend>Course</legend>
						<div class="fields">${group("course").map(fieldFor)}</div>
					</fieldset>
					<details
						class="fold"
						open=${group("limits")
							.concat(group("models"))
							.some((field) => errors[`settings.${field.name}`])}
					>
						<summary>Limits and models</summary>
						<div class="fields">${group("limits").map(fieldFor)}${group("models").map(fieldFor)}</div>
					</details>
				</div>
				<aside class="side new-side" aria-label="Before you start">
					<${ForecastPanel} wanted=${wanted} />
					${isUnplaced && html`<p class="error" role="alert">${problem.detail}</p>`}
					<div class="stack">
						<button class="button primary large" disabled=${isBusy || !chosen}>
							<${Icon} name="play" />
							<span>Start the debate</span>
						</button>
						<button type="button" class="button" disabled=${isBusy || !chosen} onClick=${() => create(false)}>
							Create without starting
						</button>
					</div>
				</aside>
			</div>
		</form>
	`;
}

// What means the same in every format survives a change of it.
const keepCommon = (values) =>
	Object.fromEntries(
		Object.entries(values).filter(([name]) =>
			/^(premise|model_|max_cost_usd|reasoning_effort|temperature|top_p|sampling_seed)/.test(name),
		),
	);

function priced(cost) {
	if (!cost) return "unknown";
	return cost.high === 0 ? "free" : `${money(cost.low)} to ${money(cost.high)}`;
}

function ForecastPanel({ wanted }) {
	const [seen, setSeen] = useState(null);
	const [problem, setProblem] = useState(null);
	const body = JSON.stringify({ ...wanted, topic: wanted.topic || "?" });
	useEffect(() => {
		const abort = new AbortController();
		const timer = setTimeout(
			() =>
				post("/api/forecasts", JSON.parse(body), { signal: abort.signal }).then(
					(now) => {
						setSeen(now);
						setProblem(null);
					},
					(refused) => {
						if (refused.name !== "AbortError") {
							setSeen(null);
							setProblem(refused);
						}
					},
				),
			FORECAST_MS,
		);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [body]);
	return html`
		<section class="panel forecast" aria-labelledby="forecast">
			<h2 id="forecast">What it will take</h2>
			${
				seen
					? html`
						<dl>
							<dt>Calls</dt>
							<dd>${plural(seen.calls, "call")} at most</dd>
							<dt>Read</dt>
							<dd>${count(seen.input_tokens.low)} to ${count(seen.input_tokens.high)} tokens</dd>
							<dt>Written</dt>
							<dd>${count(seen.output_tokens.low)} to ${count(seen.output_tokens.high)} tokens</dd>
							<dt>Cost</dt>
							<dd>${priced(seen.cost_usd)}</dd>
						</dl>
						<p class="hint">
							${seen.models.length ? `With ${seen.models.join(", ")}.` : "Only people take part."}
							${seen.unpriced.length ? ` The price of ${seen.unpriced.join(", ")} is not known.` : ""}
						</p>
						${seen.warnings.map((one) => html`<p class="notice" role="status" key=${one}>${one}</p>`)}
						<${ToyNotice} models=${seen.models} />
					`
					: problem
						? html`
							<p class="hint">
								${problem.field ? `${Words(problem.field.split(".").pop())}: ` : ""}
								${problem.detail}
							</p>
						`
						: html`<div class="bone short"></div>`
			}
		</section>
	`;
}
