// How a debate went, statement by statement, drawn from the fold.
import { html } from "../lib/ui.js";
import { courseOf, firstWords, namedStatement } from "../lib/course.js";
import { side } from "../lib/people.js";

const STEP_Y = 40,
	DOT = 14,
	TOP_Y = 44,
	LEFT_X = 100,
	NAMES_X = 170;

// Each statement's score, side against side: a number in every dot; the shade shows who was ahead. Nothing is drawn
// with fewer than two scores a side.
export function HowItWent({ live }) {
	const { scores, outcome } = live.state;
	const of = (which) => scores.filter((one) => side(live, one.of) === which);
	const [pro, con] = [of("for"), of("against")];
	if (pro.length < 2 || con.length < 2) return null;
	const course = courseOf(live.state);
	const columns = Math.max(pro.length, con.length);
	const wide = Math.max(125, Math.min(250, 500 / (columns - 1)));
	const values = [...pro, ...con].map((one) => one.score);
	const [low, high] = [Math.min(...values), Math.max(...values)];
	const x = (n) => LEFT_X + n * wide;
	const y = (score) => TOP_Y + (high - score) * STEP_Y;
	const bottom = y(low) + 40;
	const isEven = (n) => pro[n] && con[n] && Math.abs(pro[n].score - con[n].score) * STEP_Y < 2 * DOT;
	// Equal scores stand side by side.
	const dots = (list, by) =>
		list.map((one, n) => ({ ...one, n, x: x(n) + (isEven(n) ? by * (DOT + 2) : 0), y: y(one.score) }));
	const [left, right] = [dots(pro, -1), dots(con, 1)];
	const width = Math.max(x(columns - 1) + NAMES_X + 30, 620);
	const key = namedStatement(outcome?.reasoning, course)?.seq;
	const ringed = [...left, ...right].find((one) => one.statement && one.statement === key);
	const person = (list) => live.person(list[0].of).name;
	const told = (list) => `${person(list)}: ${list.map((one) => one.score).join(", ")}`;
	const decided = ringed ? ` The judge names statement ${course.numbers.get(key)}.` : "";
	const line = (list) => list.map((one, n) => `${n ? "L" : "M"}${one.x} ${one.y}`).join("");
	const gist = (one) => {
		if (!one) return "";
		const said = course.statements[course.numbers.get(one.statement) - 1]?.content;
		return said ? firstWords(said, Math.min(28, wide / 6.5)) : `round ${one.round}`;
	};
	const ends = [left.at(-1), right.at(-1)];
	const about = pro[0].statement ? "The judge’s score so far, after each statement" : "The scores of each round";
	const isClose = Math.abs(ends[0].y - ends[1].y) < 20;
	const isLower = (one, other) => one.y > other.y;
	const nameY = (one, other, by) =>
		one.y + 4.5 + (isClose ? (isLower(one, other) ? 9 : isLower(other, one) ? -9 : by) : 0);
	return html`
		<figure class="card chart" aria-labelledby="went">
			<header>
				<h2 id="went">How it went</h2>
				<span class="hint">${about}, out of 10. The shade shows who was ahead.</span>
			</header>
			<div class="scroll-x" tabindex="0" role="group" aria-label="Chart of scores">
				<svg
					viewBox=${`0 0 ${width} ${bottom + 60}`}
					style=${{ minWidth: `${Math.round(width * 0.72)}px` }}
					role="img"
					aria-label=${`${told(left)}. ${told(right)}.${decided}`}
				>
					<${Leads} ...${{ left, right }} />
					<path class="la" d=${line(right)} />
					<path class="lf" d=${line(left)} />
					${
						ringed &&
						html`
							<circle class="key" cx=${ringed.x} cy=${ringed.y} r="20" />
							<text class="note" x=${ringed.x} y=${ringed.y - 26} text-anchor="middle">named by the judge</text>
						`
					}
					<${Marks} letter="a" list=${right} />
					<${Marks} letter="f" list=${left} />
					<text class="tf" x=${ends[0].x + 30 + (isEven(ends[0].n) ? 2 * DOT + 4 : 0)} y=${nameY(ends[0], ends[1], -9)}>
						${firstWords(person(left), 22)}
					</text>
					<text class="ta" x=${ends[1].x + 30} y=${nameY(ends[1], ends[0], 9)}>${firstWords(person(right), 22)}</text>
					<path class="grid" d=${`M20 ${bottom}H${width - 20}`} />
					${Array.from({ length: columns }, (_, n) => [n, pro[n], con[n]]).map(
						([n, one, other]) => html`
							<g key=${n} text-anchor="middle">
								<text x=${x(n)} y=${bottom + 24}>${gist(one)}</text>
								<text x=${x(n)} y=${bottom + 44}>${other?.statement && gist(other)}</text>
							</g>
						`,
					)}
				</svg>
			</div>
		</figure>
	`;
}

const Marks = ({ letter, list }) => html`
	<g class=${`p${letter}`}>${list.map((one) => html`<circle key=${one.seq} cx=${one.x} cy=${one.y} r=${DOT} />`)}</g>
	<g class=${`t${letter}`} text-anchor="middle">
		${list.map((one) => html`<text key=${one.seq} x=${one.x} y=${one.y + 4.5}>${one.score}</text>`)}
	</g>
`;

// The area between the lines, in the colour of the side that was ahead; where the lines cross, the colour changes.
function Leads({ left, right }) {
	const made = [];
	for (let n = 0; n + 1 < Math.min(left.length, right.length); n++) {
		const [a, b, c, d] = [left[n], left[n + 1], right[n], right[n + 1]];
		const [first, second] = [c.y - a.y, d.y - b.y]; // positive where "for" is ahead
		if (first * second >= 0) {
			if (first || second) made.push([first + second > 0, `M${a.x} ${a.y}L${b.x} ${b.y}L${d.x} ${d.y}L${c.x} ${c.y}Z`]);
			continue;
		}
		const t = first / (first - second);
		const [x, y] = [a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t];
		made.push([first > 0, `M${a.x} ${a.y}L${x} ${y}L${c.x} ${c.y}Z`]);
		made.push([second > 0, `M${b.x} ${b.y}L${x} ${y}L${d.x} ${d.y}Z`]);
	}
	return made.map(([isFor, d]) => html`<path key=${d} class=${isFor ? "gf" : "ga"} d=${d} />`);
}
