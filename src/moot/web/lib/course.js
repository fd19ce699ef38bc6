// What a debate's course amounts to for readers: numbered statements, and what the judge made of each. Pure.
const SENTENCE = /^[\s\S]*?[.!?…]["”’)]?(?=\s|$)/;
const QUESTION = /[^.!?…\n]+\?(?=["”’)]?(?:\s|$))/g;
export const JUDGING = new Set(["evaluate", "score"]);
const known = new WeakMap();

// Text as it reads without its markup, in one line.
export const plain = (text) =>
	String(text ?? "")
		.slice(0, 4000)
		.replace(/```[\s\S]*?(```|$)/g, " ")
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/^\s*(#+|>|[-*+]|\d+\.)\s+/gm, "")
		.replace(/[*_`~]+/g, "")
		.replace(/\s+/g, " ")
		.trim();

// Cut at a word, with dots if something is missing.
export function cut(text, most) {
	if (text.length <= most) return text;
	const at = text.lastIndexOf(" ", most);
	return `${text.slice(0, at > most / 2 ? at : most).replace(/[\s,;:.–-]+$/, "")}…`;
}

export const firstWords = (text, most = 48) => cut(plain(text), most);
export const firstSentence = (text, most = 160) => cut(SENTENCE.exec(plain(text))?.[0] ?? plain(text), most);

// As many whole sentences as fit, and one at least.
export function firstSentences(text, most = 320) {
	let rest = plain(text);
	let told = "";
	while (rest.trim()) {
		const next = SENTENCE.exec(rest)?.[0] ?? rest;
		if (told && told.length + next.length > most) break;
		told += next;
		rest = rest.slice(next.length);
	}
	return cut(told.trim(), 1.5 * most);
}

export const lastQuestion = (text) => cut((plain(text).match(QUESTION)?.at(-1) ?? "").trim(), 200);

// {statements: [turn], numbers: Map(seq -> n), judged: Map(seq of statement -> {evaluation, score}),
// under: Map(seq of an evaluation or score -> seq of its statement)}
export function courseOf(state) {
	const before = known.get(state);
	if (before?.seq === state.seq) return before;
	const made = { seq: state.seq, statements: [], numbers: new Map(), judged: new Map(), under: new Map() };
	const last = new Map();
	for (const turn of state.turns) {
		if (turn.kind === "speak" && !turn.isPrivate) {
			made.statements.push(turn);
			made.numbers.set(turn.seq, made.statements.length);
			last.set(turn.participant, turn).set("", turn);
		} else if (turn.isPrivate && JUDGING.has(turn.kind)) {
			const statement = last.get(turn.about ?? "");
			if (!statement) continue;
			const about = made.judged.get(statement.seq) ?? {};
			about[turn.kind === "score" ? "score" : "evaluation"] = turn;
			made.judged.set(statement.seq, about);
			made.under.set(turn.seq, statement.seq);
		}
	}
	known.set(state, made);
	return made;
}

// The number of the statement that a text names, if there is one.
export function namedStatement(text, course) {
	const found = /\b(?:statement|turn|speech)\s+(?:no\.?\s*|number\s+|#)?(\d{1,4})\b/i.exec(text ?? "");
	return course.statements[Number(found?.[1]) - 1];
}
