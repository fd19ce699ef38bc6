// Models by name, as `provider:name`, and the names that people know providers by.
import { served, Words } from "./words.js";

export const capital = (text) => text.replace(/^./u, (c) => c.toUpperCase());
export const provider = (id) => served.providers?.[id] ?? Words(id);
export const full = (row, name) => (name.startsWith(`${row.provider}:`) ? name : `${row.provider}:${name}`);
export const bare = (name) => name.slice(name.indexOf(":") + 1);
export const isToy = (name) => name.startsWith("local:");
export const isHere = (row) => row.is_usable && !row.is_silent;
// What keeps a provider from being used; keys are read when the server starts.
export const needs = ({ reason }) =>
	reason.startsWith("set ") ? `S${reason.slice(1)} and start Moot again` : capital(reason);
export const listed = (names) => names.join(", ").replace(/, ([^,]*)$/, " and $1");
