// Agreement, quality and what stayed unchanged, round by round, in percent.
import { html } from "../lib/ui.js";
import { LineChart } from "../parts/chart.js";

export const MEASURES = { confidence: "agreement", quality: "quality", stability: "unchanged" };

export function MeasureChart({ rounds, threshold }) {
	const lines = Object.entries(MEASURES)
		.map(([key, name], number) => ({
			key,
			name,
			colour: { class: `measure-${number}` },
			points: rounds.map((one, column) => [column, one.measures[key]]).filter(([, value]) => value !== null),
		}))
		.filter((one) => one.points.length);
	return lines.length
		? html`
			<${LineChart}
				lines=${lines}
				most=${100}
				columns=${rounds.map((one) => `round ${one.number}`)}
				enough=${threshold}
			/>
		`
		: html`<p class="hint">No number yet.</p>`;
}
