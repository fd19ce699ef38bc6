// How a debate of each format is shown. A view is an object of components, each given {live, onFork}:
//
//   Main      what fills the column: transcript, room, council            needed
//   Side      the panels beside it; also given onGo, to call when it leads elsewhere  needed
//   Outcome   how it ended, above all else; given `actions` to put below, `open` for dialogs, and
//             children that stand after it                                or none: the head has a menu of actions
//   Bar       a strip below the head, such as a room's labels             or none
//   Below     what needs the whole width of the page, below the column    or none
//   Composer  its own foot, in place of the usual one with its commands   or none
//   Now       what goes on, below the column                              or none
//   tellsNotices, tellsWaits  true if Main shows notices, or what is waited for, itself
//   keys      (live, event) => true if a key pressed outside of a field was used
//
// A format without a row is shown as a transcript. Large views are fetched when a debate of their format is opened.
// The styles of a view are in css/, under its name.
import { html, signal } from "../lib/ui.js";
import { standard } from "./standard.js";

const AGAIN_MS = 1000;
const FETCHED = {
	room: () => import("./room.js").then((module) => module.room),
	council: () => import("./council.js").then((module) => module.council),
};
const COMING = {
	Main: () => html`<div class="bone block"></div><div class="bone block"></div>`,
	Side: () => null,
	Composer: () => null,
};
const views = signal({});
const asked = new Set();

// A view is asked for again and again until it is there: the server may be restarting.
function ask(format) {
	FETCHED[format]().then(
		(view) => {
			views.value = { ...views.value, [format]: view };
		},
		() => setTimeout(ask, AGAIN_MS, format),
	);
}

export function viewOf(format) {
	if (!FETCHED[format]) return standard;
	if (!asked.has(format)) {
		asked.add(format);
		ask(format);
	}
	return views.value[format] ?? COMING;
}
