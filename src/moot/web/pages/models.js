// Which models there are, what is known of them, and whether one answers. Keys come from the server's environment
// or keyring, never from here.
import { html, useEffect, useState } from "../lib/ui.js";
import { get, post } from "../lib/api.js";
import { count, duration, money } from "../lib/words.js";

export function Models() {
	const [found, setFound] = useState(null);
	const [problem, setProblem] = useState(null);
	useEffect(() => {
		get("/api/models").then(setFound, setProblem);
	}, []);
	const usable = found?.items.filter((row) => row.is_usable && !row.is_silent);
	const others = found?.items.filter((row) => !row.is_usable || row.is_silent);
	return html`
		<div class="models">
			<div class="page-head"><h1>Models</h1></div>
			<p class="lead">
				A model is named <code>provider:name</code>. Keys are read from the environment of the server or from its
				keyring; they are never typed into or shown by this page. How models judge is on the page
				of <a href="/judges">judges</a>.
			</p>
			${found && html`<${Chosen} debaters=${found.debaters} judges=${found.judges} />`}
			<${Trial} first=${found?.debaters?.model ?? usable?.find((row) => row.default_model)?.default_model ?? ""} />
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			${
				found === null && !problem
					? html`<div class="bone block"></div><div class="bone block"></div>`
					: html`
						<h2>Ready to use</h2>
						${
							usable?.length
								? html`<ul class="cards">${usable.map((row) => html`<${Ready} key=${row.provider} row=${row} />`)}</ul>`
								: html`<p class="hint">None. Set the key of a provider and start the server again.</p>`
						}
						<h2>What the others need</h2>
						<ul class="needs card">
							${others?.map(
								(row) => html`
									<li key=${row.provider}>
										<b>${row.provider}</b> <span class="hint">${row.reason}</span>
									</li>
								`,
							)}
						</ul>
					`
			}
		</div>
	`;
}

function Chosen({ debaters, judges }) {
	if (!debaters) return html`<p class="lead">No model was found that could be used where none is named.</p>`;
	const named = (one) => html`<code>${one.model}</code> (${one.why})`;
	return html`
		<p class="lead">
			Where no model is named, debaters have ${named(debaters)}
			${judges && judges.model !== debaters.model && html`, judges ${named(judges)}`}.
			${" "}<code>moot models use NAME</code> on the server keeps another.
		</p>
	`;
}

function Ready({ row }) {
	return html`
		<li class="card">
			<h3>${row.provider}</h3>
			${row.default_model && html`<code>${row.default_model}</code>`}
			<span class="pill good"><i class="dot"></i>Ready</span>
			${row.reason && html`<span class="hint">${row.reason}</span>`}
			${row.default_model && html`<span class="hint">${facts(row).join(", ")}</span>`}
			${row.models.length > 1 && html`<span class="hint">Offers ${row.models.join(", ")}</span>`}
			${row.retirement && html`<span class="error">${row.retirement}</span>`}
		</li>
	`;
}

function facts(row) {
	const priced = row.input_usd !== null && row.output_usd !== null;
	const price = priced
		? row.input_usd || row.output_usd
			? `$${row.input_usd} in, $${row.output_usd} out for a million tokens`
			: "free"
		: "price unknown";
	return [
		row.context_window && `reads ${count(row.context_window)} tokens`,
		row.output_limit && `writes ${count(row.output_limit)}`,
		row.thinks !== null && (row.thinks ? "thinks first" : "does not think first"),
		price,
	].filter(Boolean);
}

function Trial({ first }) {
	const [name, setName] = useState(null);
	const [result, setResult] = useState(null);
	const [isBusy, setBusy] = useState(false);
	const model = name ?? first;
	const run = async (event) => {
		event.preventDefault();
		setBusy(true);
		setResult(null);
		try {
			setResult(await post("/api/models/test", { model: model.trim() }));
		} catch (problem) {
			setResult({ is_working: false, error: problem.detail });
		}
		setBusy(false);
	};
	return html`
		<form class="card trial" onSubmit=${run}>
			<label class="field">
				<span>Try a model</span>
				<input
					class="input"
					type="text"
					value=${model}
					required
					maxlength="200"
					spellcheck="false"
					autocomplete="off"
					onInput=${(event) => setName(event.target.value)}
				/>
			</label>
			<button class="btn primary" disabled=${isBusy || !model}>
				${isBusy ? "Asking…" : "Ask it a question"}
			</button>
			<div class="trial-result" role="status">
				${
					result &&
					(result.is_working
						? html`
							<p class="works"><b>It answers.</b> The test took ${duration(result.duration_ms / 1000)}.</p>
							<blockquote>${result.reply || "(nothing)"}</blockquote>
							<${Learned} result=${result} />
						`
						: html`<p class="error"><b>It does not answer.</b> ${result.error}</p>`)
				}
			</div>
		</form>
	`;
}

const YES = new Map([
	[true, "yes"],
	[false, "no"],
	[null, "not known"],
]);

function Learned({ result }) {
	const { usage } = result;
	return html`
		<dl class="facts">
			<dt>Thinks first</dt>
			<dd>
				${YES.get(result.thinks)}
				${result.thinks && !usage.thought_tokens && !result.thought && " as far as is known; no thoughts were seen"}
				${result.allowance > 0 && `; it is given ${count(result.allowance)} tokens for its thoughts`}
			</dd>
			<dt>Keeps to a schema</dt>
			<dd>${YES.get(result.keeps_schema)}</dd>
			<dt>Calls tools</dt>
			<dd>${result.calls_tools === null ? "not asked: it is not known to call any" : YES.get(result.calls_tools)}</dd>
			<dt>Server refused</dt>
			<dd>${result.refused.join(", ") || "nothing"}</dd>
			<dt>Tokens</dt>
			<dd>
				${count(usage.input_tokens)} read, ${count(usage.output_tokens)} written
				${usage.thought_tokens > 0 && `, ${count(usage.thought_tokens)} of them thoughts`}
				${result.tokens_per_second && `; ${result.tokens_per_second} a second`}
			</dd>
			<dt>Cost</dt>
			<dd>${money(usage.cost_usd)}</dd>
		</dl>
	`;
}
