// Messages on their way. They are kept in the browser until the log has them: a message that cannot be taken yet waits,
// and goes out as soon as it can.
//
// Rule 1: nothing is lost: a message is forgotten only when the server has taken it, or somebody takes it back.
// Rule 2: nothing is said twice: of all tabs only one sends, and what may have arrived is looked for in the log first.
import { signal } from "../lib/ui.js";
import { Problem, ask, get } from "../lib/api.js";
import { kept } from "../lib/keep.js";
import { allows, isBusy } from "./room_state.js";

const AGAIN_MS = 3000;
const LOOK_MS = 100;
const LOOKS = 50;
const rooms = new WeakMap();

export function heldOf(live) {
	if (!rooms.has(live)) rooms.set(live, new Held(live));
	return rooms.get(live);
}

class Held {
	#live;
	#where;
	#isSending = false;
	#isKept = true; // false if the browser refuses: then messages are kept here, as long as the page is open
	#isOwn = false; // where the browser has no locks, only the page in which a message was written sends it

	constructor(live) {
		this.#live = live;
		this.#where = kept("local", `moot.held.${live.id}`, "");
		this.messages = signal(this.#read()); // [{text, instead, after, isTried, problem}], the oldest first
	}

	#read() {
		if (!this.#isKept) return this.messages.value;
		try {
			return JSON.parse(this.#where.get() || "[]");
		} catch {
			return [];
		}
	}

	#write(messages) {
		const text = messages.length ? JSON.stringify(messages) : "";
		this.#where.set(text);
		this.#isKept = this.#where.get() === text;
		this.messages.value = messages;
	}

	// Changes the first message; false if somebody has taken it back meanwhile.
	#change(changes) {
		const [first, ...rest] = this.#read();
		if (first) this.#write([{ ...first, ...changes }, ...rest]);
		return Boolean(first);
	}

	// Follows what other tabs change, until the returned function is called.
	listen() {
		const look = () => {
			this.messages.value = this.#read();
		};
		addEventListener("storage", look);
		return () => removeEventListener("storage", look);
	}

	hold(text, instead = null) {
		this.#isOwn = true;
		this.#write([...this.#read(), { text, instead }]);
		return this.flush();
	}

	// The words of the messages, for the field; "" while they may be on their way, unless the room is over.
	takeBack(isOver) {
		const messages = this.#read();
		if (!isOver && messages[0]?.isTried) return "";
		this.#write([]);
		return messages.map((one) => one.text).join("\n\n");
	}

	// Sends what can be sent now. In auto mode, whoever speaks can finish, and then the room is stopped for the message.
	async flush() {
		const [first] = this.messages.value;
		const live = this.#live;
		if (!first || first.problem || this.#isSending) return;
		const { status, pacing } = live.state;
		const isQuiet = !live.writing.value.size;
		const interrupts = status === "running" && pacing === "auto" && isQuiet && isBusy(live) && !allows(live, "say");
		const canSay = status === "created" || (allows(live, "say") && (isQuiet || status !== "stopping"));
		if (!interrupts && !canSay) return;
		this.#isSending = true;
		try {
			await alone(live.id, this.#isOwn, () => (canSay ? this.#deliver() : this.#interrupt()));
		} finally {
			this.#isSending = false;
		}
	}

	async #interrupt() {
		const live = this.#live;
		live.view.value = await ask("POST", `/api/debates/${live.id}/stop`).catch(() => live.view.value);
	}

	async #deliver() {
		const live = this.#live;
		const path = `/api/debates/${live.id}`;
		const [message] = this.#read();
		this.messages.value = this.#read();
		if (!message) return;
		const include = (included) =>
			message.instead && ask("PATCH", `${path}/turns/${message.instead}`, { included }).catch(() => {});
		try {
			if (!message.isTried || !(await this.#hasArrived(message))) {
				if (live.state.status === "created") await ask("POST", `${path}/start`);
				// A changed message is left out before it is said again, so that nobody reads both.
				await include(false);
				const after = message.after ?? Math.max(live.state.seq, live.view.value?.seq ?? 0);
				if (!this.#change({ isTried: true, after })) return void include(true);
				live.view.value = await ask("POST", `${path}/messages`, { content: message.text });
			}
			this.#write(this.#read().slice(1));
		} catch (problem) {
			// Too early: it goes on waiting. Unreachable: it may have arrived. Any other refusal is for people to mend.
			const isRefused = problem.status >= 400 && problem.status < 500;
			if (isRefused) {
				await include(true);
				this.#change({ isTried: false, after: undefined, problem: problem.status === 409 ? "" : problem.detail });
			}
			setTimeout(() => this.flush(), AGAIN_MS);
		}
	}

	async #hasArrived({ text, after }) {
		const live = this.#live;
		const { seq } = await get(`/api/debates/${live.id}`);
		for (let n = 0; live.state.seq < seq; n++) {
			if (n === LOOKS) throw new Problem({});
			await new Promise((done) => setTimeout(done, LOOK_MS));
		}
		return live.state.turns.some(
			(turn) => turn.seq > after && turn.step_key === `said/${turn.seq}` && turn.content.trim() === text.trim(),
		);
	}
}

// Does the work in one tab at a time.
const alone = (id, isOwn, work) =>
	globalThis.navigator?.locks
		? navigator.locks.request(`moot.say.${id}`, { ifAvailable: true }, (lock) => lock && work())
		: isOwn && work();
