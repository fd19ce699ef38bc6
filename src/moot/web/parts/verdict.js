// How it ended, as the log says it: a missing verdict is said to be missing.
import { html } from "../lib/ui.js";
import { REASON } from "../lib/words.js";
import { tint } from "../lib/people.js";
import { Avatar } from "./bits.js";
import { Prose } from "./turn.js";

export function Verdict({ live }) {
  const { outcome, status, stopReason, settings, participants } = live.state;
  if (status !== "completed") return null;
  if (!outcome || !("winner" in outcome)) return html`<section class="verdict" aria-label="Outcome"><h2>The debate is over</h2><p class="hint">Why it ended: ${REASON[stopReason] ?? stopReason}.</p></section>`;
  const winner = outcome.winner_id && live.person(outcome.winner_id);
  const scores = outcome.scores && Object.entries(outcome.scores);
  const premise = settings.premise;
  return html`<section class=${`verdict ${winner ? tint(live, winner.id).class : ""}`} style=${winner ? tint(live, winner.id).style : undefined} aria-label="Verdict">
    <p class="eyebrow">Verdict</p>
    <div class="verdict-head">${winner && html`<${Avatar} name=${winner.name} tint=${tint(live, winner.id)} size="large" />`}
      <div><h2>${headline(outcome)}</h2>
        ${outcome.premise_upheld != null && html`<p class=${outcome.premise_upheld ? "premise upheld" : "premise rejected"}><b>${outcome.premise_upheld ? "Premise upheld" : "Premise rejected"}</b>${premise && html`<span> ${premise}</span>`}</p>`}</div></div>
    ${scores && html`<ul class="final-scores">${scores.map(([name, score]) => {
      const one = [...participants.values()].find((p) => p.name === name);
      const colour = one ? tint(live, one.id) : { class: "" };
      return html`<li key=${name} class=${colour.class} style=${colour.style}><span>${name}</span><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="6" /><rect class="fill" width=${Math.max(0, Math.min(10, score)) * 10} height="6" /></svg><b>${score}</b></li>`;
    })}</ul>`}
    ${outcome.is_contested && html`<p class="warning">Contested: the winner has fewer points than the other. Both are shown as the judge gave them.</p>`}
    ${outcome.status === "unreadable" && html`<p class="warning">No verdict: what the judge wrote could not be read, also when asked again. Nothing was made up in its place.</p>`}
    ${outcome.status === "scores_unknown" && html`<p class="warning">The winner was confirmed; the scores could not be read and are unknown.</p>`}
    ${outcome.reasoning && html`<details class="reasoning"><summary>The judge's reasons</summary><${Prose} text=${outcome.reasoning} /></details>`}
    <p class="hint">It ended because ${REASON[stopReason] ?? stopReason}.</p></section>`;
}

function headline(outcome) {
  if (outcome.winner) return `${outcome.winner} wins`;
  if (outcome.is_tie) return "A tie";
  return "No verdict";
}
