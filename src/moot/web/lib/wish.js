// A wish for a debate, sent with a key of its own: if the answer is lost on the way, the same wish sent again finds
// the debate that it made. A digest of the wish is kept with the key; both are forgotten once the answer is here.
import { post } from "./api.js";
import { draft } from "./keep.js";
import { say } from "./toasts.js";

const LOST = "The answer was lost on the way. Try again: if the debate is there, you get it, and no second one.";
const FOUND = "It had been made already: this is it.";

// Not for secrets: it only tells apart bodies that somebody sends one after the other.
function digest(text) {
	let [a, b] = [0xdeadbeef, 0x41c6ce57];
	for (let n = 0; n < text.length; n++) {
		const code = text.charCodeAt(n);
		a = Math.imul(a ^ code, 2654435761);
		b = Math.imul(b ^ code, 1597334677);
	}
	return `${text.length}.${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

// There is no `randomUUID` on a page that came without TLS.
const fresh = () => [...crypto.getRandomValues(new Uint32Array(4))].map((one) => one.toString(36)).join("-");

// If the browser keeps nothing, the page itself remembers until it is closed.
const unkept = new Map();

function keyFor(place, of) {
	const where = draft(`wish.${place}`);
	const [known, key] = (where.get() || unkept.get(place) || "").split(" ");
	if (known === of) return key;
	const made = fresh();
	unkept.set(place, `${of} ${made}`);
	where.set(`${of} ${made}`);
	return made;
}

// The debate that a POST makes. `place` is where the wish comes from: one at a time can be under way at each place.
// Raises a Problem.
export async function make(place, path, body = {}) {
	const key = keyFor(place, digest(path + JSON.stringify(body)));
	let isFound = false;
	try {
		const made = await post(path, body, {
			more: { "Idempotency-Key": key },
			onAnswer: ({ status }) => (isFound = status === 200),
		});
		unkept.delete(place);
		draft(`wish.${place}`).set("");
		if (isFound) say(FOUND);
		return made;
	} catch (problem) {
		if (problem.code === "unreachable") problem.detail = LOST;
		throw problem;
	}
}
