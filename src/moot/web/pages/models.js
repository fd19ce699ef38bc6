// Which models are there, and whether one answers. Keys come from the environment, never from here.
import { html, useEffect, useState } from "../lib/ui.js";
import { get, post } from "../lib/api.js";
import { duration } from "../lib/words.js";

export function Models() {
	const [rows, setRows] = useState(null);
	const [problem, setProblem] = useState(null);
	useEffect(() => {
		get("/api/models").then((page) => setRows(page.items), setProblem);
	}, []);
	const usable = rows?.filter((row) => row.is_usable);
	const others = rows?.filter((row) => !row.is_usable);
	return html`
		<div class="models">
			<div class="page-head"><h1>Models</h1></div>
			<p class="lead">
				A model is named <code>provider:name</code>. Keys are read from the environment of the server; they are
				never typed into or shown by this page.
			</p>
			<${Trial} first=${usable?.find((row) => row.default_model)?.default_model ?? ""} />
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			${
				rows === null && !problem
					? html`<div class="bone"></div><div class="bone"></div>`
					: html`
						<h2>Ready to use</h2>
						${
							usable?.length
								? html`
									<ul class="cards">
										${usable.map(
											(row) => html`
												<li class="card" key=${row.provider}>
													<h3>${row.provider}</h3>
													${row.default_model && html`<code>${row.default_model}</code>`}
													<span class="pill done"><i class="dot"></i>Ready</span>
												</li>
											`,
										)}
									</ul>
								`
								: html`<p class="hint">None. Set the key of a provider and start the server again.</p>`
						}
						<h2>What the others need</h2>
						<ul class="plain">
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
					type="text"
					value=${model}
					required
					maxlength="200"
					spellcheck="false"
					autocomplete="off"
					onInput=${(event) => setName(event.target.value)}
				/>
			</label>
			<button class="button primary" disabled=${isBusy || !model}>
				${isBusy ? "Asking…" : "Ask it a question"}
			</button>
			<div class="trial-result" role="status">
				${
					result &&
					(result.is_working
						? html`
							<p class="good"><b>It answers</b> after ${duration(result.duration_ms / 1000)}:</p>
							<blockquote>${result.reply || "(nothing)"}</blockquote>
						`
						: html`<p class="error"><b>It does not answer.</b> ${result.error}</p>`)
				}
			</div>
		</form>
	`;
}
