// What members want to know before they begin: all open questions in one form, grouped by who asks.
import { html, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { plural } from "../lib/words.js";
import { FaceOf } from "../parts/bits.js";
import { Countdown } from "../parts/questions.js";

const grouped = (rows, of) => [...Map.groupBy(rows, of)];

const Asker = ({ live, id }) => {
	if (!id) return html`<span><b>You</b> <small>in advance</small></span>`;
	const one = live.person(id);
	return html`
		<${FaceOf} live=${live} id=${id} />
		<span>
			<b>${one.name}</b>
			${one.title && html` <small>${one.title}</small>`}
		</span>
	`;
};

function labelOf(filled, blank) {
	if (!filled) return "Go on without answers";
	return blank ? `Send all, ${blank} without an answer` : "Send the answers";
}

export function Clarifications({ live, asked }) {
	const where = (id) => draft(`${live.id}.clear.${id}`);
	const [values, setValues] = useState({});
	const [problem, setProblem] = useState(null);
	const [isSending, setSending] = useState(false);
	const valueOf = (id) => values[id] ?? where(id).get();
	const change = (id, value) => {
		setValues({ ...values, [id]: value });
		where(id).set(value);
	};
	const filled = asked.filter((one) => valueOf(one.id).trim());
	const blank = asked.length - filled.length;
	const send = async (rows) => {
		setSending(true);
		setProblem(null);
		try {
			await live.answer(Object.fromEntries(rows.map((one) => [one.id, valueOf(one.id).trim()])));
			for (const one of rows) where(one.id).set("");
		} catch (refused) {
			setProblem(refused);
		}
		setSending(false);
	};
	const until = asked
		.map((one) => one.expires_at)
		.filter(Boolean)
		.toSorted()[0];
	return html`
		<form
			class="turn-form clarify"
			aria-label="Questions for you"
			onSubmit=${(event) => {
				event.preventDefault();
				send(asked);
			}}
		>
			<header>
				<h2>Before they begin, they would like to know</h2>
				<p class="hint">
					${plural(asked.length, "question")}. Where you leave one blank, they use their own judgement.
				</p>
			</header>
			<div class="body">
			${grouped(asked, (one) => one.asker).map(
				([id, rows]) => html`
					<fieldset key=${id}>
						<legend><${Asker} live=${live} id=${id} /></legend>
						${rows.map(
							(one) => html`
								<label class="field" key=${one.id}>
									<span>${one.text}</span>
									<textarea
										class="input"
										rows="2"
										maxlength="20000"
										value=${valueOf(one.id)}
										onInput=${(event) => change(one.id, event.target.value)}
									></textarea>
								</label>
							`,
						)}
					</fieldset>
				`,
			)}
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			</div>
			<footer>
				<span class="spring"></span>
				${until && html`<${Countdown} until=${until} />`}
				${
					filled.length > 0 &&
					blank > 0 &&
					html`
						<button type="button" class="btn" disabled=${isSending} onClick=${() => send(filled)}>
							Send ${filled.length === 1 ? "this one" : `these ${filled.length}`}, the rest later
						</button>
					`
				}
				<button class="btn primary" disabled=${isSending}>${labelOf(filled.length, blank)}</button>
			</footer>
		</form>
	`;
}

export function Answered({ live, council }) {
	return html`
		<details class="fold answered" open=${!council.rounds.length}>
			<summary>What they asked, and were told</summary>
			${grouped(council.clarifications, (one) => one.participant).map(
				([id, rows]) => html`
					<div key=${id}>
						<h3><${Asker} live=${live} id=${id} /></h3>
						<dl>
							${rows.map(
								(one) => html`
									<div key=${`${one.iteration}/${one.number}`}>
										${one.question && html`<dt>${one.question}</dt>`}
										<dd class=${one.answer ? "prose small" : "hint"}>
											${one.answer || "No answer: they used their own judgement."}
										</dd>
									</div>
								`,
							)}
						</dl>
					</div>
				`,
			)}
		</details>
	`;
}
