// Requests to the server this page came from, and to no other.
import { signal } from "./ui.js";
import { kept } from "./keep.js";

export const wantsToken = signal(false);

// Why a request failed: the server's problem (RFC 9457), or the network's.
export class Problem extends Error {
	constructor({ status = 0, code = "unreachable", detail = "", field = null, errors = null }) {
		super(detail || code);
		Object.assign(this, { status, code, detail, field, errors: errors ?? (field ? [{ field, detail }] : []) });
	}
}

export const token = kept("session", "moot.token", "");

export function headers(more = {}) {
	const value = token.get();
	return value ? { Authorization: `Bearer ${value}`, ...more } : more;
}

async function send(method, path, { body, file, more, signal: abort, keepalive } = {}) {
	try {
		return await fetch(path, {
			method,
			signal: abort,
			keepalive,
			cache: "no-store",
			redirect: "error",
			headers: headers({ ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...more }),
			// oxlint-disable-next-line unicorn/no-invalid-fetch-options -- none is sent with a GET
			body: body === undefined ? file : JSON.stringify(body),
		});
	} catch (error) {
		if (error.name === "AbortError") throw error;
		throw new Problem({ detail: "The server cannot be reached." });
	}
}

export async function problemOf(response) {
	const told = await response.json().catch(() => ({}));
	if (response.status === 401) wantsToken.value = true;
	return new Problem({
		status: response.status,
		code: told.code ?? "error",
		detail: told.detail ?? response.statusText,
		field: told.field,
		errors: told.errors,
	});
}

export async function ask(method, path, body, options = {}) {
	const response = await send(method, path, { body, ...options });
	options.onAnswer?.(response);
	if (response.status === 304 || response.status === 204) return null;
	if (!response.ok) throw await problemOf(response);
	return response.json();
}

export const get = (path, options) => ask("GET", path, undefined, options);
export const post = (path, body, options) => ask("POST", path, body ?? {}, options);

// A GET that gives what it gave before if nothing has changed.
export function remembering() {
	let tag = "";
	let last = null;
	let from = "";
	return async (path, options = {}) => {
		const response = await send("GET", path, {
			...options,
			more: tag && from === path ? { "If-None-Match": tag } : {},
		});
		if (response.status === 304) return last;
		if (!response.ok) throw await problemOf(response);
		tag = response.headers.get("ETag") ?? "";
		from = path;
		return (last = await response.json());
	};
}

// All items of a list, page by page, until there are `most` or more.
export async function all(path, most = 1000) {
	const items = [];
	let next = "";
	do {
		const page = await get(path + (next ? `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(next)}` : ""));
		items.push(...page.items);
		next = page.next;
	} while (next && items.length < most);
	return items;
}

const known = new Map();

// For what does not change while the server runs: asks once.
export function once(path) {
	if (!known.has(path))
		known.set(
			path,
			get(path).catch((error) => {
				known.delete(path);
				throw error;
			}),
		);
	return known.get(path);
}
export const forget = (path) => known.delete(path);

// Sends a file as it is.
export async function upload(path, file) {
	const response = await send("POST", path, { file });
	if (!response.ok) throw await problemOf(response);
	return response.json();
}

export async function download(path, name) {
	const response = await send("GET", path);
	if (!response.ok) throw await problemOf(response);
	const address = URL.createObjectURL(await response.blob());
	const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
	anchor.click();
	setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
