// One drawing per meaning, 20 by 20, in the colour of the text around it.
import { html } from "../lib/ui.js";

const PATHS = {
	plus: "M10 4v12M4 10h12",
	search: "M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM13 13l4 4",
	trash: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6",
	play: "M7 4.5v11l9-5.5z",
	pause: "M7 4.5v11M13 4.5v11",
	stop: "M6 6h8v8H6z",
	flag: "M5 17V4h9l-2 3 2 3H5",
	close: "M5 5l10 10M15 5L5 15",
	retry: "M15.5 9A5.7 5.7 0 1 0 15 13M16 4.5V9h-4.5",
	link:
		"M8.5 11.5a3 3 0 0 0 4.3 0l2.7-2.7a3 3 0 0 0-4.3-4.3L10 5.7" +
		"M11.5 8.5a3 3 0 0 0-4.3 0l-2.7 2.7a3 3 0 0 0 4.3 4.3l1.2-1.2",
	copy: "M7 7h9v9H7zM4 13V4h9",
	fork: "M6 4v12M6 12c0-4 8-2 8-6M14 4v2M4.5 4h3M12.5 4h3M4.5 16h3",
	down: "M10 4v11M5 10.5l5 5 5-5",
	up: "M5 12.5l5-5 5 5",
	file: "M5 3h6l4 4v10H5zM11 3v4h4",
	clip: "M14.5 9.5l-5 5a3.2 3.2 0 0 1-4.6-4.6l6-6a2.2 2.2 0 0 1 3.2 3.2l-5.8 5.8a1 1 0 0 1-1.5-1.5l5-5",
	sun:
		"M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18" +
		"M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1",
	moon: "M16 11.5A6.5 6.5 0 1 1 8.5 4a5 5 0 0 0 7.5 7.5z",
	half: "M10 3a7 7 0 1 1 0 14zM10 3a7 7 0 1 0 0 14",
	person: "M10 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM4 17c.5-3.5 3-5 6-5s5.5 1.5 6 5",
	people:
		"M7 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM2.5 16c.4-2.8 2.2-4 4.5-4s4.1 1.2 4.5 4" +
		"M12.5 5.3a2.5 2.5 0 0 1 0 4.4M14 12.3c2 .5 3.2 1.7 3.5 3.7",
	eye: "M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
	dots: "M4.5 10h.01M10 10h.01M15.5 10h.01",
	edit: "M4 16l1-4 8.5-8.5 3 3L8 15zM12 5l3 3",
	compare: "M3.5 4.5h5v11h-5zM11.5 4.5h5v11h-5z",
	swap: "M4 7h11l-3-3M16 13H5l3 3",
	check: "M4 10.5l4 4 8-9",
	clock: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 6v4.5l3 1.5",
	dice: "M4 4h12v12H4zM7.5 7.5h.01M12.5 7.5h.01M10 10h.01M7.5 12.5h.01M12.5 12.5h.01",
	bulb: "M7.5 12.5a4.5 4.5 0 1 1 5 0c-.7.6-1 1.2-1 2h-3c0-.8-.3-1.4-1-2zM8.5 17h3",
	outline: "M4 5h.01M8 5h8M4 10h.01M8 10h8M4 15h.01M8 15h8",
	bell: "M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13zM8.5 17.5h3",
	at: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0v1a2 2 0 0 0 4 0v-1a7 7 0 1 0-3 5.7",
};

export const Icon = ({ name, small }) => html`
	<svg class=${small ? "i s" : "i"} viewBox="0 0 20 20" aria-hidden="true">
		<path d=${PATHS[name]} />
	</svg>
`;

// What each format looks like: two who face each other, a circle, a conversation, a table.
const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0`;
const GLYPHS = {
	sides: "M3 5.5h10a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H7l-4 3zM29 9.5V20l-4-3h-4.5a2 2 0 0 1-2-2v-3.5a2 2 0 0 1 2-2z",
	circle: ring(16, 12, 3.2) + ring(6, 6, 2.4) + ring(26, 6, 2.4) + ring(6, 18, 2.4) + ring(26, 18, 2.4),
	talk: "M3 3.5h12v5H6l-3 2zM29 8v7l-3-2h-9V8zM6 13.5h10v5H9l-3 2z",
	table: "M5 10h22v5H5zM8 15v5M24 15v5" + ring(9, 6, 2) + ring(16, 6, 2) + ring(23, 6, 2),
};
const OF_FORMAT = { council: "circle", room: "talk", duel: "sides", rounds: "sides" };

export const Glyph = ({ format }) => html`
	<svg class="glyph" viewBox="0 0 32 24" aria-hidden="true">
		<path d=${GLYPHS[OF_FORMAT[format] ?? "table"]} />
	</svg>
`;
