// The solution as a document, and whether debating was worth it.
import { html, useState } from "../lib/ui.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { make } from "../lib/wish.js";
import { because, CARDS, PARTS, plural } from "../lib/words.js";
import { canBeHeard, exportItems } from "../parts/again.js";
import { FaceOf } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { ShareButton } from "../parts/commands.js";
import { Prose } from "../parts/turn.js";
import { titled } from "./council_state.js";

const SHOWN = new Set(["Report", "Decision record"]);
const NORMAL_ENDS = new Set(["max_rounds", "completed"]);

export function Solution({ live, council, open }) {
	const { outcome, status, stopReason, hasOpenCards } = live.state;
	if (status !== "completed") return null;
	if (!outcome?.description) return html`<${None} live=${live} />`;
	const { title, body } = titled(outcome.description);
	const out = outcome.sat_out.map((id) => live.person(id).name);
	const doubts = [...new Set([...outcome.doubts, ...(hasOpenCards ? [CARDS.open] : [])])];
	const facts = [
		outcome.confidence != null && `${council.judge?.name ?? "The judge"} is ${outcome.confidence} of 100 sure of it.`,
		out.length > 0 && `Sat out: ${out.join(", ")}.`,
		!NORMAL_ENDS.has(stopReason) && `It ended because ${because(stopReason)}.`,
		...council.cautions,
	].filter(Boolean);
	return html`
		<section class="card document" aria-label=${outcome.title}>
			<header>
				<${Agreement} outcome=${outcome} rounds=${council.rounds} />
				<span>${source(outcome, council)}</span>
			</header>
			${doubts.map((doubt) => html`<p class="notice" key=${doubt}>${doubt}</p>`)}
			<h2 id="outcome" tabindex="-1">${title || outcome.title}</h2>
			<${Prose} text=${body} />
			${Object.entries(PARTS)
				.filter(([name]) => name !== "dissent")
				.map(([name, label]) => html`<${Part} key=${name} label=${label} texts=${outcome[name]} />`)}
			<${Votes} decision=${outcome.decision} />
			${outcome.dissent.map((text, n) => html`<${Dissent} key=${n} live=${live} council=${council} text=${text} />`)}
			${facts.length > 0 && html`<p class="hint facts-line">${facts.join(" ")}</p>`}
			<div class="actions">
				<${Discuss} live=${live} />
				${exportItems(live, "")
					.filter(({ name }) => SHOWN.has(name))
					.map(
						({ name, icon, run }) => html`
							<button class="btn" key=${name} onClick=${run}><${Icon} name=${icon} /><span>${name}</span></button>
						`,
					)}
				${
					canBeHeard(live, true) &&
					html`
						<button class="btn" onClick=${() => open("bench")}>
							<${Icon} name="people" />
							<span>Ask a bench</span>
						</button>
					`
				}
				<span class="spring"></span>
				<${ShareButton} open=${open} />
			</div>
		</section>
		<${Worth} outcome=${outcome} council=${council} />
	`;
}

// How many members chose it, if they voted; else how much they agreed, as the judge measured it.
function Agreement({ outcome: { decision }, rounds }) {
	const { rule, winner, points, ballots } = decision;
	if (rule === "vote" && winner)
		return html`
			<span class=${`pill ${decision.is_majority ? "good" : ""}`}>
				${decision.is_majority && html`<${Icon} name="check" />`}
				Chosen by ${points[winner]} of ${Object.keys(ballots).length}
			</span>
		`;
	const agreement = rounds.findLast((one) => one.confidence != null)?.confidence;
	return agreement == null ? null : html`<span class="pill">Agreement ${agreement} of 100</span>`;
}

const source = ({ decision }, { judge }) =>
	decision.is_solution
		? `${decision.winner}’s last proposal, which the members chose`
		: `Written by ${judge?.name ?? "the judge"} from the members’ last proposals`;

const Part = ({ label, texts }) =>
	texts.length > 0 &&
	html`
		<section class="part">
			<h3>${label}</h3>
			<ul>${texts.map((text, n) => html`<li key=${n}><${Prose} text=${text} /></li>`)}</ul>
		</section>
	`;

function Votes({ decision }) {
	if (!decision.points) return null;
	const rows = Object.entries(decision.points).toSorted((a, b) => b[1] - a[1]);
	const ahead = decision.winner ?? (decision.tied.length ? `a tie of ${decision.tied.join(" and ")}` : "nobody leads");
	return html`
		<section class="part">
			<h3>
				${decision.rule === "rank" ? "The members ranked" : "The members voted"}: ${ahead}
				${decision.is_majority ? ", by a majority" : ""}
			</h3>
			<p class="prose small">${rows.map(([name, score]) => `${name} ${score}`).join(" · ")}</p>
		</section>
	`;
}

// A dissent, with the member whose it is if the text names exactly one.
function Dissent({ live, council, text }) {
	const named = council.members.filter((one) => one.name && text.includes(one.name));
	const one = named.length === 1 ? named[0] : null;
	return html`
		<section class=${`dissent ${one ? "" : "nobodys"}`} aria-label="Dissent">
			${one && html`<${FaceOf} live=${live} id=${one.id} />`}
			<div>
				<h3>${one ? `${one.name} dissents` : "Dissent"}</h3>
				<${Prose} text=${text} />
			</div>
		</section>
	`;
}

// Opens a new room with the members, about the solution.
function Discuss({ live }) {
	const [isSending, setSending] = useState(false);
	const open = async () => {
		setSending(true);
		try {
			const made = await make(`${live.id}.room`, `/api/debates/${live.id}/rooms`);
			go(`/debates/${made.id}`);
		} catch (refused) {
			say(refused.detail, { kind: "bad" });
			setSending(false);
		}
	};
	return html`
		<button class="btn primary" disabled=${isSending} onClick=${open}>
			<${Icon} name="person" />
			<span>Discuss it in a room</span>
		</button>
	`;
}

function None({ live }) {
	const { outcome, stopReason } = live.state;
	const why = outcome ? outcome.doubts.join(" ") : "Nobody had proposed anything.";
	return html`
		<section class="card document" aria-label="Solution">
			<h2 id="outcome" tabindex="-1">There is no solution</h2>
			<p class="hint">It ended because ${because(stopReason)}. ${why}</p>
		</section>
	`;
}

// --- was debating worth it? -----------------------------------------------------------------------

function Worth({ outcome, council: { worth } }) {
	const { comparison, before_debate: before, rounds } = outcome;
	if (!worth && !before) return null;
	const hasFigures = comparison?.before != null && comparison.after != null;
	return html`
		<section class="card worth" aria-labelledby="worth">
			<h2 id="worth">${worth ? "Was debating worth it?" : "Before the debate"}</h2>
			${
				hasFigures &&
				html`
					<${Figure} title="Best proposal before" number=${comparison.before} names=${comparison.best_before} />
					<span class="arrow" aria-hidden="true"><${Icon} name="down" /></span>
					<${Figure}
						title=${`Best proposal after ${plural(rounds, "round")}`}
						number=${comparison.after}
						names=${comparison.best_after}
					/>
				`
			}
			${worth && html`<p class="told">${worth}</p>`}
			${before && html`<${Before} before=${before} />`}
		</section>
	`;
}

const Figure = ({ title, number, names }) => html`
	<div>
		<h3>${title}</h3>
		<p class="figure">${number} <small>of 100</small></p>
		<p>${names.join(", ")}</p>
	</div>
`;

function Before({ before }) {
	const leaders = Object.entries(before.proposals);
	const ratings = Object.entries(before.ratings).map(([name, mean]) => `${name} ${mean}`);
	const ahead = before.winner ? `${before.winner}’s proposal` : `a tie of ${before.tied.join(", ")}`;
	return html`
		<details class="fold before">
			<summary>What they would have chosen at once: ${ahead}</summary>
			${leaders.map(
				([name, text]) => html`
					<div key=${name}>
						${leaders.length > 1 && html`<h3>${name}</h3>`}
						<${Prose} text=${text} />
					</div>
				`,
			)}
			<p class="hint">What the others gave each in their first critiques, of 100: ${ratings.join(", ")}.</p>
		</details>
	`;
}
