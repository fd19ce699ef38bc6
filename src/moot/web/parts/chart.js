// Lines over time, drawn from the fold: scores as they change, a council's numbers round by round.
import { html } from "../lib/ui.js";
import { tint } from "../lib/people.js";

const W = 280,
	H = 150,
	L = 26,
	R = 12,
	T = 10,
	B = 22;

// `lines` are {key, name, colour: {class, style}, points: [[column, value], ...]} with columns from 0 on;
// `columns` are their names.
export function LineChart({ lines, most, columns = [], enough = null }) {
	const last = Math.max(columns.length - 1, ...lines.flatMap((one) => one.points.map(([column]) => column)));
	const x = (column) => L + (last > 0 ? (column / last) * (W - L - R) : (W - L - R) / 2);
	const y = (value) => T + (1 - Math.max(0, Math.min(most, value)) / most) * (H - T - B);
	const pen = ([column, value], n) => `${n ? "L" : "M"}${x(column).toFixed(1)} ${y(value).toFixed(1)}`;
	const point = ([column, value]) => (columns[column] ? `${value} in ${columns[column]}` : value);
	const told = (one) => `${one.name}: ${one.points.map(point).join(", ")}`;
	return html`
		<figure class="chart">
			<svg
				viewBox=${`0 0 ${W} ${H}`}
				role="img"
				aria-label=${lines.map(told).join(". ") + (enough === null ? "" : `. Enough is ${enough}`)}
			>
				${[0, most / 2, most].map(
					(n) => html`
						<g key=${n} class="grid">
							<path d=${`M${L} ${y(n)}H${W - R}`} />
							<text x=${L - 6} y=${y(n) + 3.5} text-anchor="end">${n}</text>
						</g>
					`,
				)}
				${columns.map(
					(_, n) => html`
						<g key=${`c${n}`} class="grid"><text x=${x(n)} y=${H - 6} text-anchor="middle">${n + 1}</text></g>
					`,
				)}
				${enough !== null && html`<path class="enough" d=${`M${L} ${y(enough)}H${W - R}`} />`}
				${lines.map(
					(one) => html`
						<g key=${one.key} class=${`line ${one.colour.class}`} style=${one.colour.style}>
							<path d=${one.points.map(pen).join("")} />
							${one.points.map(
								([column, value]) => html`
									<circle key=${column} cx=${x(column)} cy=${y(value)} r="3.5">
										<title>${`${one.name}: ${value} of ${most}`}</title>
									</circle>
								`,
							)}
						</g>
					`,
				)}
			</svg>
			<figcaption>
				${lines.map(
					(one) => html`
						<span key=${one.key} class=${`key ${one.colour.class}`} style=${one.colour.style}>
							<i></i>
							${one.name}
							<b>${one.points.at(-1)[1]}</b>
						</span>
					`,
				)}
				${
					enough !== null &&
					html`
						<span class="key enough">
							<i></i>enough<b>${enough}</b>
						</span>
					`
				}
			</figcaption>
		</figure>
	`;
}

export function ScoreChart({ live }) {
	const by = Map.groupBy(live.state.scores, (one) => one.of);
	if (!by.size) return html`<p class="hint">No score yet.</p>`;
	const line = ([of, given]) => ({
		key: of,
		name: live.person(of).name,
		colour: tint(live, of),
		points: given.map((one, n) => [n, one.score]),
	});
	return html`<${LineChart} most=${10} lines=${[...by].map(line)} />`;
}
