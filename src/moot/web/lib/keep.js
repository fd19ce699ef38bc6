// What the browser keeps for us. It may refuse (private windows, full disks): then nothing is kept.
import { signal } from "./ui.js";

const store = (where) => (where === "session" ? globalThis.sessionStorage : globalThis.localStorage);

export function kept(where, key, otherwise) {
	return {
		get() {
			try {
				return store(where).getItem(key) ?? otherwise;
			} catch {
				return otherwise;
			}
		},
		set(value) {
			try {
				if (value) store(where).setItem(key, value);
				else store(where).removeItem(key);
			} catch {
				/* not kept */
			}
		},
	};
}

// A switch or choice that is the same after a reload.
export function preference(key, otherwise) {
	const where = kept("local", `moot.${key}`, "");
	let first = otherwise;
	try {
		first = JSON.parse(where.get() || "null") ?? otherwise;
	} catch {
		/* as if never kept */
	}
	const value = signal(first);
	value.subscribe((now) => {
		if (now !== first) {
			first = undefined;
			where.set(JSON.stringify(now));
		}
	});
	return value;
}

// What somebody has begun to write.
export const draft = (key) => kept("local", `moot.draft.${key}`, "");
