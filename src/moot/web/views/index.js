// How a debate of each format is shown. A view is an object of components, each given {live, onFork}:
//
//   Main      what fills the column: transcript, room, council            needed
//   Side      the panels beside it                                        needed
//   Bar       a strip below the head, such as a room's labels             or none
//   Composer  what stays at the bottom of the window, such as an input    or none
//   Now       who comes next, below the column                            or the usual line
//   tellsNotices  true if Main shows notices itself
//   keys      (live, event) => true if a key pressed outside of a field was used
//
// A format without a row is shown as a transcript. Styles of a view: css/ and its name.
import { standard } from "./standard.js";
import { room } from "./room.js";
import { council } from "./council.js";

const VIEWS = { room, council };

export const viewOf = (format) => VIEWS[format] ?? standard;
