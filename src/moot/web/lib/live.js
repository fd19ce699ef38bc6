// One debate, live: its state folded from the stream, what is being written, and what people may do now.
import { batch, signal } from "./ui.js";
import { apply, newState } from "./fold.js";
import { isOver } from "./words.js";
import { follow } from "./stream.js";
import { post, ask, remembering } from "./api.js";
import { say } from "./toasts.js";

const LIVE = new Set(["step", "held", "text", "voided"]);
const LOOK_MS = 250;
const HIDDEN_LOOK_MS = 15_000;
const USER = { id: "user", name: "User", role: "", model: "human" };

export class Live {
	#state = newState();
	#fresh = null; // the same debate, read again from the beginning because more of it may be seen
	#version = signal(0);
	#stream = null;
	#read = remembering();
	#looking = 0;
	#lookedMs = 0;
	#hidden = 0;

	constructor(id) {
		this.id = id;
		this.view = signal(null); // GET /api/debates/{id}: commands, questions, upcoming, room, council
		this.writing = signal(new Map()); // step key -> {step, stage, round, participant, kind, visibility, since, text}
		this.connection = signal({ kind: "connecting" });
		this.problem = signal(null);
		this.busy = signal(""); // the command that was sent and is not answered yet
		this.isCaughtUp = signal(false);
		this.isOwnStop = false; // whether the latest command of this page was to stop
		this.openedSeq = null; // where the debate stood when it was opened here: what comes later is news
		this.stalled = signal(""); // why nothing can be recorded just now
	}

	// A component that reads it is drawn again when it changes.
	get state() {
		void this.#version.value;
		return this.#state;
	}

	// What was spent in all; single turns that are hidden do not say what they have cost.
	get usage() {
		const view = this.view.value;
		return view?.is_veiled ? view.usage : this.state.usage;
	}

	start() {
		this.#look();
		this.#follow();
		return this;
	}

	#follow() {
		this.#stream = follow({
			id: this.id,
			after: () => (this.#fresh ?? this.#state).seq,
			onFrames: (frames) => this.#take(frames),
			onState: (state) => this.#connected(state),
		});
	}

	// What was withheld while somebody took part may be seen now: read all of it again, and show it when it is there.
	#again() {
		this.#fresh = newState();
		this.#stream?.stop();
		this.#follow();
	}

	stop() {
		this.#stream?.stop();
		clearTimeout(this.#looking);
		clearInterval(this.#hidden);
	}

	retry() {
		this.#stream?.retry();
	}

	#connected(state) {
		batch(() => {
			if (state.kind === "refused") this.problem.value = state.problem;
			if (state.kind !== "live") {
				this.writing.value = new Map();
				this.stalled.value = "";
			}
			if (state.kind === "over") this.isCaughtUp.value = true;
			this.connection.value = state.kind === "lost" && isOver(this.#state.status) ? { kind: "over" } : state;
		});
		if (state.kind === "live") this.#soon();
		// Nobody looks at the page, and its title still has to say whose turn it is.
		clearInterval(this.#hidden);
		if (state.kind === "paused") this.#hidden = setInterval(() => this.#look(), HIDDEN_LOOK_MS);
	}

	#take(frames) {
		batch(() => {
			const writing = new Map(this.writing.value);
			let recorded = 0;
			let isLifted = false;
			for (const [event, data] of frames) {
				if (event === "unveiled") isLifted = true;
				else if (LIVE.has(event)) this.#written(writing, event, data);
				else if (event === "stalled") this.stalled.value = data.reason;
				else {
					this.stalled.value = ""; // or this event would not be here
					apply(this.#fresh ?? this.#state, data);
					this.#settle(writing, data);
					recorded++;
				}
			}
			if (writing.size !== this.writing.value.size || [...writing.keys()].some((key) => !this.writing.value.has(key)))
				this.writing.value = writing;
			if (this.#fresh && this.#fresh.seq >= this.#state.seq) {
				this.#state = this.#fresh;
				this.#fresh = null;
			}
			if (isLifted) this.#again();
			if (recorded) {
				this.#version.value++;
				this.#soon();
			}
		});
	}

	#written(writing, event, data) {
		let entry = writing.get(data.step);
		if (!entry)
			writing.set(data.step, (entry = { ...data, since: this.#began(), text: signal(""), held: signal(null) }));
		entry.held.value = event === "held" ? data : null;
		if (event === "text") entry.text.value += data.text;
		if (event === "voided") entry.text.value = "";
	}

	// When a step that is announced now began: at the latest event, if that was before this page looked.
	#began() {
		return this.isCaughtUp.value || !this.#state.at ? Date.now() : Math.min(Date.now(), Date.parse(this.#state.at));
	}

	#settle(writing, event) {
		if (event.type === "TurnRecorded") writing.delete(event.step_key);
		else if (event.type === "StepFailed") writing.delete(event.failed_key);
		else if (/^Debate(Stopped|Failed|Completed|Canceled)$/.test(event.type)) writing.clear();
	}

	// Not after every event: one look is enough for all that came meanwhile.
	#soon() {
		if (this.#looking) return;
		this.#looking = setTimeout(() => this.#look(), Math.max(LOOK_MS, 3 * this.#lookedMs));
	}

	// What benches say comes after a debate's end, when its stream tells nothing any more.
	look() {
		this.#soon();
	}

	async #look() {
		const began = performance.now();
		try {
			const view = await this.#read(`/api/debates/${this.id}`);
			batch(() => {
				this.view.value = view;
				this.openedSeq ??= view.seq;
				if (this.#state.seq >= view.seq) this.isCaughtUp.value = true;
			});
			if (view.seq < this.#state.seq) this.#isBehind = true;
		} catch (problem) {
			if (problem.status === 404) this.problem.value = problem;
		} finally {
			this.#lookedMs = performance.now() - began;
			this.#looking = 0;
			if (this.#isBehind) {
				this.#isBehind = false;
				this.#soon();
			}
		}
	}
	#isBehind = false;

	// POST, PUT, PATCH or DELETE below this debate: what the server answered, or null after telling people why not.
	async send(method, path, body) {
		try {
			const answer = await ask(method, `/api/debates/${this.id}${path}`, body);
			if (answer?.commands) this.view.value = answer;
			return answer ?? true;
		} catch (problem) {
			say(problem.detail || "That did not work.", { kind: "bad" });
			this.#soon();
			return null;
		}
	}

	// Raises a Problem. The stream of a debate that is over has ended, so what was recorded is read again.
	async rename(title) {
		this.view.value = await ask("PATCH", `/api/debates/${this.id}`, { title });
		if (!isOver(this.#state.status)) return;
		this.#stream?.stop();
		this.#follow();
	}

	async command(name) {
		this.busy.value = name;
		this.isOwnStop = name === "stop";
		await this.send("POST", `/${name}`);
		this.busy.value = "";
	}

	// Raises a Problem: its field is shown beside the form.
	async answer(answers) {
		this.view.value = await post(`/api/debates/${this.id}/answers`, { answers });
	}

	person(id) {
		const { participants, left } = this.state;
		return participants.get(id) ?? left.get(id) ?? (id === "user" ? USER : { id, name: id || "Moot", role: "" });
	}
}
