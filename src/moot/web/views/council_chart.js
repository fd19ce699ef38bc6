// Agreement, quality and stability, round by round, from 0 to 100.
import { html } from "../lib/ui.js";

export const MEASURES = { confidence: "agreement", quality: "quality", stability: "unchanged" };
const W = 280, H = 150, L = 26, R = 12, T = 10, B = 22;

export function MeasureChart({ rounds, threshold }) {
  const series = Object.entries(MEASURES).map(([name, label], seat) => ({ name, label, seat, points: rounds.filter((one) => one.measures[name] !== null).map((one) => [one.number, one.measures[name]]) })).filter((one) => one.points.length);
  if (!series.length) return html`<p class="hint">No number yet.</p>`;
  const last = Math.max(1, rounds.length - 1);
  const x = (number) => rounds.length > 1 ? L + ((number - 1) / last) * (W - L - R) : (L + W - R) / 2;
  const y = (value) => T + (1 - Math.max(0, Math.min(100, value)) / 100) * (H - T - B);
  return html`<figure class="chart measures"><svg viewBox=${`0 0 ${W} ${H}`} role="img" aria-label=${`${series.map((one) => `${one.label}: ${one.points.map(([number, value]) => `${value} in round ${number}`).join(", ")}`).join(". ")}${threshold === null ? "" : `. Enough is ${threshold}`}`}>
      ${[0, 50, 100].map((n) => html`<g class="grid" key=${n}><path d=${`M${L} ${y(n)}H${W - R}`} /><text x=${L - 6} y=${y(n) + 3.5} text-anchor="end">${n}</text></g>`)}
      ${rounds.map((one) => html`<g class="grid" key=${`r${one.number}`}><text x=${x(one.number)} y=${H - 6} text-anchor="middle">${one.number}</text></g>`)}
      ${threshold !== null && html`<g class="enough"><path d=${`M${L} ${y(threshold)}H${W - R}`} /><title>${`enough: ${threshold}`}</title></g>`}
      ${series.map((one) => html`<g key=${one.name} class=${`line measure-${one.seat}`}><path d=${one.points.map(([number, value], n) => `${n ? "L" : "M"}${x(number).toFixed(1)} ${y(value).toFixed(1)}`).join("")} />
        ${one.points.map(([number, value]) => html`<circle key=${number} cx=${x(number)} cy=${y(value)} r="3.5"><title>${`${one.label} in round ${number}: ${value}`}</title></circle>`)}</g>`)}</svg>
    <figcaption>${series.map((one) => html`<span key=${one.name} class=${`key measure-${one.seat}`}><i></i>${one.label}<b>${one.points.at(-1)[1]}</b></span>`)}${threshold !== null && html`<span class="key enough-key"><i></i>enough<b>${threshold}</b></span>`}</figcaption></figure>`;
}
