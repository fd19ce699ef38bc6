// What is known of judges, in the server's words: from the ballots that they have cast here, and from exams.
import { html, useEffect, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { ago, plural, Words } from "../lib/words.js";
import { ExamDialog } from "../parts/exam_dialog.js";
import { Icon } from "../parts/icons.js";

export function Judges() {
	const [found, setFound] = useState(null);
	const [problem, setProblem] = useState(null);
	const [examined, setExamined] = useState(null); // the model that the dialog begins with
	useEffect(() => {
		document.title = "Judges · Moot";
		get("/api/judges").then(setFound, setProblem);
		return () => {
			document.title = "Moot";
		};
	}, []);
	const all = found && byModel(found);
	return html`
		<div class="judges">
			<div class="page-head">
				<h1>Judges</h1>
				<span class="spring"></span>
				<button class="btn primary" onClick=${() => setExamined("")}>
					<${Icon} name="check" />
					<span>Examine a judge</span>
				</button>
			</div>
			<p class="lead">
				A judge is a model that votes on debates in which it took no part. This page shows what its ballots here tell
				about it, and how it did in its newest exam.
			</p>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			${!found && !problem && html`<div class="bone block"></div><div class="bone block"></div>`}
			${all && (all.length ? html`<${Listed} all=${all} onExamine=${setExamined} />` : html`<${None} />`)}
			${examined !== null && html`<${ExamDialog} model=${examined} onClose=${() => setExamined(null)} />`}
		</div>
	`;
}

// Those who have cast ballots, then those who have only sat an exam.
function byModel({ items, exams }) {
	const rows = new Map(items.map((one) => [one.judge, { model: one.judge, audit: one }]));
	for (const exam of exams) rows.set(exam.model, { model: exam.model, ...rows.get(exam.model), exam });
	return [...rows.values()];
}

const None = () => html`
	<div class="empty">
		<h2>No judge has voted yet</h2>
		<p>
			Open a <a href="/">debate</a> that is over and press <b>Ask a bench</b> below its outcome: every judge on the
			bench casts ballots, and they are counted here. Or examine a judge before you trust it with a debate.
		</p>
	</div>
`;

const Listed = ({ all, onExamine }) => html`
	<p class="hint note">
		Every figure has its 95 % interval and what it was counted from. Ballots come from debates that were not made for
		the purpose: they tell what votes go with, not why. In an exam the answer is known, so its figures are about causes.
	</p>
	<ul class="bench-list">
		${all.map((one) => html`<${Judge} key=${one.model} ...${one} onExamine=${() => onExamine(one.model)} />`)}
	</ul>
`;

const Judge = ({ model, audit, exam, onExamine }) => html`
	<li class="card judge-known">
		<header>
			<h2>${model}</h2>
			<button class="btn small" onClick=${onExamine}>
				<span>Examine <span class="unseen">${model}</span> ${exam && "again"}</span>
			</button>
		</header>
		${
			audit
				? html`
					<h3>${plural(audit.calls, "ballot")} on ${plural(audit.debates, "debate")}</h3>
					<${Figures} rows=${audit.figures} />
				`
				: html`<p class="hint">It has cast no ballot here yet.</p>`
		}
		${
			exam &&
			html`
				<h3>
					<a href=${`/debates/${exam.id}`}>Exam</a> of ${plural(exam.pairs, "pair")},
					${" "}<time datetime=${exam.at}>${ago(exam.at)}</time>
					${exam.unreadable > 0 && `, ${plural(exam.unreadable, "answer")} unreadable`}
				</h3>
				<${Figures} rows=${exam.figures} />
			`
		}
	</li>
`;

const Figures = ({ rows }) => html`
	<dl class="figures">
		${rows.map(
			({ name, label, told, about, figure }) => html`
				<div key=${name} class=${figure.type === "estimate" ? "" : "unknown"}>
					<dt>${Words(label)}</dt>
					<dd class="num">${told}</dd>
					<dd class="hint">${Words(about)}.</dd>
				</div>
			`,
		)}
	</dl>
`;
