// How a debate of each format is shown. A view is an object of components, each given {live, onFork}:
//
//   Main      what fills the column: transcript, room, council            needed
//   Side      the panels beside it                                        needed
//   Bar       a strip below the head, such as a room's labels             or none
//   Composer  what stays at the bottom of the window, such as an input    or none
//   keys      (live, event) => true if a key pressed outside of a field was used
//
// A format without a row is shown as a transcript. Styles of a view: css/views.css, classes named after it.
import { standard } from "./standard.js";

const VIEWS = {};

export const viewOf = (format) => VIEWS[format] ?? standard;
