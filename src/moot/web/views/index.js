// How a debate of each format is shown. A view is an object of components, each given {live, onFork}:
//
//   Main      what fills the column: transcript, room, council            needed
//   Side      the panels beside it; also given onGo, to call when it leads elsewhere  needed
//   Outcome   how it ended, above all else; given `actions` to put below  or none: the head has a menu of them
//   Bar       a strip below the head, such as a room's labels             or none
//   Below     what needs the whole width of the page, below the column    or none
//   Composer  its own foot, in place of the usual one with its commands   or none
//   Now       what goes on, below the column                              or none
//   tellsNotices, tellsWaits  true if Main shows notices, or what is waited for, itself
//   keys      (live, event) => true if a key pressed outside of a field was used
//
// A format without a row is shown as a transcript. Styles of a view: css/ and its name.
import { standard } from "./standard.js";
import { room } from "./room.js";
import { council } from "./council.js";

const VIEWS = { room, council };

export const viewOf = (format) => VIEWS[format] ?? standard;
