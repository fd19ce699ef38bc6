// A format's stages as a drawing, made from the very tables that run it.
import { html } from "../lib/ui.js";
import { words } from "../lib/words.js";

// One edge per pair of stages, with all that leads from one to the other; -1 is the start, `stages.length` the end.
export function edgesOf(stages, transitions) {
	const number = new Map(stages.map((stage, index) => [stage.name, index]));
	const edges = new Map();
	for (const row of transitions) {
		const key = `${row.from ?? ""}>${row.to ?? ""}`;
		const edge = edges.get(key) ?? {
			key,
			from: row.from ? number.get(row.from) : -1,
			to: row.to ? number.get(row.to) : stages.length,
			isEnd: !row.to,
			why: [],
		};
		edge.isOnlyEnd = (edge.isOnlyEnd ?? true) && row.event === "END";
		edge.why.push(row.guard ? `${words(row.event.toLowerCase())} (${row.guard})` : words(row.event.toLowerCase()));
		edges.set(key, edge);
	}
	return [...edges.values()];
}

const ROW = 46,
	TOP = 16,
	LEFT = 58,
	WIDTH = 168,
	BOX = 28;

// Down the page, with names; the present stage is lit, and edges say how often they were taken.
export function StageDiagram({ form, stage, visits, isOver }) {
	const { stages } = form;
	const y = (number) => TOP + (number + 1) * ROW;
	const height = y(stages.length) + TOP;
	// Edges that skip stages, and the way out that anybody can ask for, are drawn only where they were taken.
	const edges = edgesOf(stages, form.transitions).filter(
		(edge) => visits.has(edge.key) || (!edge.isOnlyEnd && edge.to <= edge.from + 1),
	);
	return html`
		<svg
			class="diagram"
			viewBox=${`0 0 284 ${height}`}
			role="img"
			aria-label=${label(form, stage, visits, isOver)}
		>
			${edges.map((edge) => html`<${Edge} key=${edge.key} edge=${edge} y=${y} n=${visits.get(edge.key) ?? 0} />`)}
			<circle class="end-dot" cx=${LEFT + WIDTH / 2} cy=${y(-1)} r="5" />
			${stages.map(
				(one, number) => html`
					<g
						key=${one.name}
						class=${`stage ${one.name === stage && !isOver ? "lit" : reached(one.name, visits) ? "seen" : ""}`}
					>
						<title>${one.about}</title>
						<rect x=${LEFT} y=${y(number) - BOX / 2} width=${WIDTH} height=${BOX} rx="8" />
						<text x=${LEFT + WIDTH / 2} y=${y(number) + 4.5} text-anchor="middle">${words(one.name)}</text>
					</g>
				`,
			)}
			<circle class=${isOver ? "end-dot lit" : "end-dot"} cx=${LEFT + WIDTH / 2} cy=${y(stages.length)} r="5" />
			<circle class="end-ring" cx=${LEFT + WIDTH / 2} cy=${y(stages.length)} r="8.5" />
		</svg>
	`;
}

const reached = (name, visits) => [...visits.keys()].some((key) => key.endsWith(`>${name}`));

function label(form, stage, visits, isOver) {
	const now = isOver ? "The debate is over." : stage ? `The present stage is ${words(stage)}.` : "Not started.";
	const edge = (key) => key.split(">").map((name) => words(name) || "end");
	const taken = [...visits].map(([key, n]) => `${edge(key).join(" to ")} ${n} times`);
	const names = form.stages.map((one) => words(one.name));
	const told = `Stages of a ${form.id}: ${names.join(", ")}. ${now}`;
	return taken.length ? `${told} Taken: ${taken.join(", ")}.` : told;
}

function Edge({ edge, y, n }) {
	const { from, to, why, isEnd } = edge;
	const middle = LEFT + WIDTH / 2;
	let d, x, at;
	if (from === to) {
		const right = LEFT + WIDTH;
		d = `M${right} ${y(from) - 7}c22 -8 22 22 0 14`;
		[x, at] = [right + 24, y(from) + 4];
	} else if (to === from + 1) {
		d = `M${middle} ${y(from) + (from < 0 ? 5 : BOX / 2)}V${y(to) - (isEnd ? 9 : BOX / 2)}`;
		[x, at] = [middle + 8, (y(from) + y(to)) / 2 + 4];
	} else {
		const down = to > from;
		const side = down ? LEFT + WIDTH : LEFT;
		const bend = (down ? 1 : -1) * Math.min(50, 14 + 9 * Math.abs(to - from));
		const into = y(to);
		const [above, before, tip] = isEnd ? [0, 0, middle + 11] : [12, 4, side];
		const out = side + bend;
		const start = from < 0 ? `${middle + 5} ${y(from)}` : `${side} ${y(from) + 4}`;
		d = `M${start}C${out} ${y(from) + 12},${out} ${into - above},${tip} ${into - before}`;
		[x, at] = [side + bend * 0.78 + (down ? 3 : -12), (y(from) + into) / 2 + 4];
	}
	return html`
		<g class=${n ? "edge taken" : "edge"}>
			<title>${why.join("; ")}</title>
			<path d=${d} />
			${n > 0 && html`<text x=${x} y=${at}>${n}</text>`}
		</g>
	`;
}
