// The solution as a document, and beside it what they would have chosen without a debate.
import { html } from "../lib/ui.js";
import { plural, REASON } from "../lib/words.js";
import { Prose } from "../parts/turn.js";

const PARTS = [["trade_offs", "Trade-offs"], ["recommendations", "Recommendations"], ["unfulfilled_requirements", "Unfulfilled requirements"], ["open_questions", "Open questions"], ["dissent", "Dissent"]];

export function Solution({ live, council }) {
  const { outcome, status, stopReason } = live.state;
  if (status !== "completed") return null;
  if (!outcome?.description) return html`<section class="solution" aria-label="Solution"><h2>There is no solution</h2><p class="hint">It ended because ${REASON[stopReason] ?? stopReason}, ${outcome ? "and the judge wrote none" : "before anybody had proposed anything"}.</p></section>`;
  const names = (outcome.sat_out ?? []).map((id) => live.person(id).name);
  return html`<section class="solution" aria-label="Solution"><p class="eyebrow">Solution</p>
    ${outcome.status === "unreadable" && html`<p class="warning">What ${council.judge?.name ?? "the judge"} wrote could not be read as a solution, also when asked again. It stands here as it is, and nothing was made up.</p>`}
    <div class="beside"><div class="final"><h2>After ${plural(outcome.rounds ?? 0, "round")}</h2><${Prose} text=${outcome.description} />
      ${PARTS.filter(([name]) => outcome[name]?.length).map(([name, label]) => html`<div class="part" key=${name}><h3>${label}</h3><ul>${outcome[name].map((one, n) => html`<li key=${n}><${Prose} text=${one} /></li>`)}</ul></div>`)}
      <${Decision} decision=${outcome.decision} /></div><${Before} before=${outcome.before_debate} /></div>
    <p class="hint facts">${outcome.confidence != null && html`<b class="confidence">Confidence ${outcome.confidence} of 100</b>`}<span>It ended because ${REASON[stopReason] ?? stopReason}.</span>${names.length > 0 && html`<span>Sat out: ${names.join(", ")}.</span>`}</p></section>`;
}

function Before({ before }) {
  if (!before) return html`<div class="before"><h2>Before the debate</h2><p class="told">Nobody gave a rating that could be read.</p></div>`;
  const leaders = Object.entries(before.proposals);
  return html`<div class="before"><h2>Before the debate</h2><p class="hint">${before.winner ? `${before.winner}'s proposal, which the others rated highest.` : `A tie: ${before.tied.join(", ")}.`}</p>
    ${leaders.map(([name, text]) => html`<div key=${name}>${leaders.length > 1 && html`<h3>${name}</h3>`}<${Prose} text=${text} /></div>`)}
    <p class="hint">Ratings: ${Object.entries(before.ratings).map(([name, mean]) => `${name} ${mean}`).join(", ")}</p></div>`;
}

function Decision({ decision }) {
  if (!decision?.points) return null;
  const rows = Object.entries(decision.points).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...rows.map((row) => row[1]));
  return html`<div class="part"><h3>${decision.rule === "rank" ? "The members ranked" : "The members voted"}: ${decision.winner ?? (decision.tied.length ? `a tie of ${decision.tied.join(" and ")}` : "nobody leads")}${decision.is_majority ? ", by a majority" : ""}</h3>
    <ul class="final-scores">${rows.map(([name, points]) => html`<li key=${name}><span>${name}</span><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="6" /><rect class="fill" width=${(100 * points) / most} height="6" /></svg><b>${points}</b></li>`)}</ul></div>`;
}
