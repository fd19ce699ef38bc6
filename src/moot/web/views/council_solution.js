// The solution as a document, and beside it what they would have chosen without a debate.
import { html, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import { go } from "../lib/route.js";
import { because, PARTS, plural } from "../lib/words.js";
import { Prose } from "../parts/turn.js";
import { Cards, FinalScore } from "../parts/verdict.js";

export function Solution({ live, council }) {
	const { outcome, status, stopReason } = live.state;
	if (status !== "completed") return null;
	if (!outcome?.description) return html`<${None} live=${live} />`;
	const names = outcome.sat_out.map((id) => live.person(id).name);
	return html`
		<section class="solution" aria-label=${outcome.title}>
			<p class="eyebrow">${outcome.title}</p>
			${outcome.doubts.map((doubt) => html`<p class="warning" key=${doubt}>${doubt}</p>`)}
			<${Cards} live=${live} />
			<div class="beside">
				<div class="final">
					<h2>After ${plural(outcome.rounds, "round")}</h2>
					<${Prose} text=${outcome.description} />
					${Object.entries(PARTS).map(
						([name, label]) => html`<${Part} key=${name} label=${label} texts=${outcome[name]} />`,
					)}
					<${Decision} decision=${outcome.decision} />
				</div>
				<${Before} before=${outcome.before_debate} />
			</div>
			<p class="hint facts">
				${outcome.confidence != null && html`<b class="confidence">Confidence ${outcome.confidence} of 100</b>`}
				<span>It ended because ${because(stopReason)}.</span>
				${council.worth && html`<span>${council.worth}</span>`}
				${names.length > 0 && html`<span>Sat out: ${names.join(", ")}.</span>`}
			</p>
			<div class="row end"><${Discuss} live=${live} /></div>
		</section>
	`;
}

// A new room with the members, and the solution as what it is about.
function Discuss({ live }) {
	const [problem, setProblem] = useState(null);
	const [isSending, setSending] = useState(false);
	const open = async () => {
		setSending(true);
		try {
			const made = await post(`/api/debates/${live.id}/rooms`);
			go(`/debates/${made.id}`);
		} catch (refused) {
			setProblem(refused);
			setSending(false);
		}
	};
	return html`
		${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
		<button class="button" disabled=${isSending} onClick=${open}>Discuss it in a room</button>
	`;
}

function None({ live }) {
	const { outcome, stopReason } = live.state;
	const why = outcome ? outcome.doubts.join(" ") : "Nobody had proposed anything.";
	return html`
		<section class="solution" aria-label="Solution">
			<h2>There is no solution</h2>
			<p class="hint">It ended because ${because(stopReason)}. ${why}</p>
		</section>
	`;
}

const Part = ({ label, texts }) =>
	texts.length > 0 &&
	html`
		<div class="part">
			<h3>${label}</h3>
			<ul>
				${texts.map((text, n) => html`<li key=${n}><${Prose} text=${text} /></li>`)}
			</ul>
		</div>
	`;

function Before({ before }) {
	if (!before) {
		return html`
			<div class="before">
				<h2>Before the debate</h2>
				<p class="told">Nobody gave a rating that could be read.</p>
			</div>
		`;
	}
	const leaders = Object.entries(before.proposals);
	const ratings = Object.entries(before.ratings).map(([name, mean]) => `${name} ${mean}`);
	const ahead = before.winner
		? `${before.winner}'s proposal, which the other members rated highest.`
		: `A tie: ${before.tied.join(", ")}.`;
	return html`
		<div class="before">
			<h2>Before the debate</h2>
			<p class="hint">${ahead}</p>
			${leaders.map(([name, text]) => html`<${Leader} key=${name} name=${leaders.length > 1 && name} text=${text} />`)}
			<p class="hint">The members' ratings in their first critiques: ${ratings.join(", ")}</p>
		</div>
	`;
}

const Leader = ({ name, text }) => html`
	<div>
		${name && html`<h3>${name}</h3>`}
		<${Prose} text=${text} />
	</div>
`;

function Decision({ decision }) {
	if (!decision.points) return null;
	const rows = Object.entries(decision.points).toSorted((a, b) => b[1] - a[1]);
	const most = Math.max(1, ...rows.map((row) => row[1]));
	const how = decision.rule === "rank" ? "The members ranked" : "The members voted";
	const ahead = decision.winner ?? (decision.tied.length ? `a tie of ${decision.tied.join(" and ")}` : "nobody leads");
	return html`
		<div class="part">
			<h3>${how}: ${ahead}${decision.is_majority ? ", by a majority" : ""}</h3>
			<ul class="final-scores">
				${rows.map(([name, score]) => html`<${FinalScore} key=${name} ...${{ name, score, most }} />`)}
			</ul>
		</div>
	`;
}
