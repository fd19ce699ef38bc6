// The event stream of a debate: read, cut, and taken up again where it broke off.
//
// EventSource cannot send a token, so this uses fetch; the standard's rules for frames are few.
import { headers, problemOf } from "./api.js";

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;
const SILENCE_MS = 40_000; // the server shows every 15 seconds that it is there
const HIDDEN_MS = 30_000; // a tab nobody looks at gives its connection back: browsers have six per server

// Reads frames from pieces of text that can break anywhere.
export function reader(onFrame) {
	let rest = "";
	return (text) => {
		rest += text;
		let end;
		while ((end = rest.indexOf("\n\n")) >= 0) {
			const frame = { event: "message", data: "" };
			for (const line of rest.slice(0, end).split("\n")) {
				const colon = line.indexOf(":");
				if (colon > 0) frame[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
			}
			rest = rest.slice(end + 2);
			if (frame.data) onFrame(frame.event, frame.data);
		}
	};
}

// Calls `onFrames([[event, data], ...])` and `onState({kind, ...})` until it is told to stop.
// Kinds: connecting, live, lost (with `until`), paused, over, refused (with `problem`).
export function follow({ id, after, onFrames, onState }) {
	let stopped = false;
	let abort = null;
	let wake = () => {};
	let hiding = 0;

	async function read() {
		abort = new AbortController();
		let silence = 0;
		const listen = () => {
			clearTimeout(silence);
			silence = setTimeout(() => abort.abort(), SILENCE_MS);
		};
		listen();
		try {
			const response = await fetch(`/api/debates/${id}/events?private=1&after=${after()}`, {
				headers: headers({ Accept: "text/event-stream" }),
				signal: abort.signal,
				cache: "no-store",
			});
			if (response.status === 204) return { over: true };
			if (!response.ok) return { problem: await problemOf(response) };
			onState({ kind: "live" });
			const body = response.body.pipeThrough(new TextDecoderStream()).getReader();
			let frames = [];
			const take = reader((event, data) => frames.push([event, JSON.parse(data)]));
			for (;;) {
				const { done, value } = await body.read();
				if (done) return { ended: true };
				listen();
				take(value);
				if (frames.length) {
					onFrames(frames);
					frames = [];
				}
			}
		} catch {
			return {};
		} finally {
			clearTimeout(silence);
		}
	}

	const pause = (ms) =>
		new Promise((resolve) => {
			const timer = setTimeout(resolve, ms);
			wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});

	async function run() {
		let wait = FIRST_WAIT_MS;
		// oxlint-disable-next-line no-unmodified-loop-condition -- `stop` changes it, from outside
		while (!stopped) {
			if (document.hidden && hiding === -1) {
				onState({ kind: "paused" });
				await pause(3_600_000);
				continue;
			}
			const began = Date.now();
			const { over, problem } = await read();
			if (stopped) return;
			if (over) return onState({ kind: "over" });
			if (problem && problem.status < 500 && problem.status !== 429) return onState({ kind: "refused", problem });
			if (document.hidden && hiding === -1) continue;
			if (Date.now() - began > 5000) wait = FIRST_WAIT_MS;
			onState({ kind: "lost", until: Date.now() + wait });
			await pause(wait * (0.8 + Math.random() * 0.4));
			wait = Math.min(LONGEST_WAIT_MS, wait * 2);
		}
	}

	const onVisible = () => {
		clearTimeout(hiding);
		if (document.hidden)
			hiding = setTimeout(() => {
				hiding = -1;
				abort?.abort();
				wake();
			}, HIDDEN_MS);
		else {
			hiding = 0;
			wake();
		}
	};
	const onOnline = () => wake();
	document.addEventListener("visibilitychange", onVisible);
	addEventListener("online", onOnline);
	onState({ kind: "connecting" });
	run();
	return {
		retry: () => wake(),
		stop() {
			stopped = true;
			clearTimeout(hiding);
			abort?.abort();
			wake();
			document.removeEventListener("visibilitychange", onVisible);
			removeEventListener("online", onOnline);
		},
	};
}
