// Scores as they change: one line per participant, drawn from the fold.
import { html } from "../lib/ui.js";
import { tint } from "../lib/people.js";

const W = 280, H = 150, L = 22, R = 12, T = 10, B = 22;

export function ScoreChart({ live }) {
  const { scores } = live.state;
  const series = seriesOf(scores);
  if (!series.length) return html`<p class="hint">No score yet.</p>`;
  const last = Math.max(...series.map((one) => one.points.length));
  const x = (n) => L + (last > 1 ? (n / (last - 1)) * (W - L - R) : (W - L - R) / 2);
  const y = (score) => T + (1 - score / 10) * (H - T - B);
  return html`<figure class="chart">
    <svg viewBox=${`0 0 ${W} ${H}`} role="img" aria-label=${series.map((one) => `${live.person(one.of).name}: ${one.points.map((p) => p.score).join(", ")}`).join(". ")}>
      ${[0, 5, 10].map((n) => html`<g class="grid"><path d=${`M${L} ${y(n)}H${W - R}`} /><text x=${L - 6} y=${y(n) + 3.5} text-anchor="end">${n}</text></g>`)}
      ${series.map((one) => { const t = tint(live, one.of); return html`<g key=${one.of} class=${`line ${t.class}`} style=${t.style}>
        <path d=${one.points.map((p, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(p.score).toFixed(1)}`).join("")} />
        ${one.points.map((p, n) => html`<circle key=${p.seq} cx=${x(n)} cy=${y(p.score)} r="3.5"><title>${`${live.person(one.of).name}: ${p.score} of 10`}</title></circle>`)}</g>`; })}
    </svg>
    <figcaption>${series.map((one) => { const t = tint(live, one.of); return html`<span key=${one.of} class=${`key ${t.class}`} style=${t.style}><i></i>${live.person(one.of).name}<b>${one.points.at(-1).score}</b></span>`; })}</figcaption>
  </figure>`;
}

export function seriesOf(scores) {
  const by = new Map();
  for (const score of scores) {
    if (!by.has(score.of)) by.set(score.of, []);
    by.get(score.of).push(score);
  }
  return [...by].map(([of, points]) => ({ of, points }));
}
