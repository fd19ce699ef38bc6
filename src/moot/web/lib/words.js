// How things are said to people.
const whole = new Intl.NumberFormat("en");

export const words = (name) => String(name ?? "").replaceAll("_", " ");
export const Words = (name) => words(name).replace(/^./, (c) => c.toUpperCase());
export const plural = (n, one, many = `${one}s`) => `${whole.format(n)} ${n === 1 ? one : many}`;

export function count(n) {
	if (n == null) return "unknown";
	if (n < 10_000) return whole.format(Math.round(n));
	return n < 1_000_000 ? `${+(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k` : `${+(n / 1e6).toFixed(1)}M`;
}

// Tokens of answers, and of thoughts where there are any: "300 tokens · 900 thought".
export function written(usage, what = "tokens") {
	const thought = usage.thought_tokens ?? 0;
	const answered = `${count(usage.output_tokens - thought)} ${what}`;
	return thought ? `${answered} · ${count(thought)} thought` : answered;
}

export function money(usd) {
	if (usd == null) return "price unknown";
	if (usd === 0) return "free";
	return `$${usd.toFixed(usd >= 0.01 ? 2 : usd >= 0.001 ? 3 : 4)}`;
}

export function duration(seconds) {
	if (seconds < 90) return `${Math.round(seconds)} s`;
	const minutes = Math.round(seconds / 60);
	return minutes < 90 ? `${minutes} min` : `${+(seconds / 3600).toFixed(1)} h`;
}

// How long something will take, roughly.
export function roughly(seconds) {
	const minutes = Math.round(seconds / 60);
	if (minutes < 1) return "less than a minute";
	return minutes < 90 ? `about ${plural(minutes, "minute")}` : `about ${plural(Math.round(minutes / 60), "hour")}`;
}

export function ago(at, now = Date.now()) {
	const s = Math.max(0, (now - Date.parse(at)) / 1000);
	if (s < 45) return "just now";
	if (s < 3570) return `${Math.round(s / 60) || 1} min ago`;
	if (s < 86_400) return `${Math.round(s / 3600)} h ago`;
	return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

export const exactly = (at) => new Date(at).toLocaleTimeString(undefined, { timeStyle: "medium" });
export const clock = (at) => new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });

// The words for kinds, flags, reasons and statuses: the server's own, which stand in the page.
export const served = JSON.parse(globalThis.document?.getElementById("words")?.textContent || "{}");
const look = (table, name) => served[table]?.[name];

export const STATUSES = served.statuses ?? {};
export const PARTS = served.solution_parts ?? {};
export const OF_TIE = served.of_tie ?? ""; // in place of "Dissent", where nothing was chosen
export const NO_SCORE = served.no_score ?? "";
export const status = (name) => STATUSES[name] ?? { label: Words(name), tone: "idle", is_over: false };
export const isOver = (name) => status(name).is_over;
export const noun = (kind) => look("kinds", kind)?.noun ?? words(kind);
export const does = (kind) => look("kinds", kind)?.does ?? words(kind);
export const doing = (kind) => look("kinds", kind)?.doing ?? words(kind);
export const because = (reason) => look("reasons", reason) ?? words(reason);
// Where a debate comes from that was not begun here: in words, "" if it was; and in one word.
export const provenance = ({ origin, forkedFrom }) => look(forkedFrom ? "forked_origins" : "origins", origin) ?? "";
export const originOf = (origin) => Words(look("origin_labels", origin) ?? "");
export const isSample = ({ origin, forkedFrom }) => origin === "import/sample" && !forkedFrom;
export const CARDS = served.cards ?? {};
const TONES = { confirmed: "good", contested: "warn", unconfirmed: "warn", scores_unknown: "warn", unreadable: "bad" };
export const toned = (trust) => TONES[trust] ?? "";
export const trusted = (key) => look("trust", key) ?? Words(key);
export const flagged = (flag) => look("flags", flag) ?? words(flag);
export const ruling = (isUpheld) => look("premise", isUpheld ? "upheld" : "rejected");
