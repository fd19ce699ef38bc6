// What may be done to a debate now, and nothing else.
import { html } from "../lib/ui.js";
import { Icon } from "./icons.js";

const BUTTONS = {
	start: ["Start", "play", "primary", "Begin the debate"],
	resume: ["Resume", "play", "primary", "Go on from where it stopped"],
	retry: ["Retry", "retry", "primary", "Run what is missing, and nothing else"],
	stop: ["Stop", "pause", "", "Finish the step in flight, then stand still"],
	end: ["End", "flag", "", "Go to the closing stage"],
	cancel: ["Cancel", "close", "danger", "End at once, without a verdict"],
};

export function Commands({ live }) {
	const possible = live.state.commands;
	const busy = live.busy.value;
	return html`
		<div class="commands" role="group" aria-label="Commands">
			${Object.entries(BUTTONS)
				.filter(([name]) => possible.includes(name))
				.map(
					([name, [text, icon, tone, title]]) => html`
						<button
							key=${name}
							class=${`button ${tone}`}
							title=${title}
							disabled=${Boolean(busy)}
							aria-busy=${busy === name}
							onClick=${() => live.command(name)}
						>
							<${Icon} name=${icon} />
							<span>${text}</span>
						</button>
					`,
				)}
		</div>
	`;
}

const STATES = {
	connecting: ["Connecting", "wait"],
	live: ["Live", "live"],
	lost: ["Connection lost, trying again", "bad"],
	paused: ["Paused while hidden", "idle"],
	over: ["Complete", "done"],
	refused: ["Refused", "bad"],
};

export function Connection({ live }) {
	const { kind } = live.connection.value;
	const [text, tone] = STATES[kind];
	return html`
		<span class=${`connection ${tone}`} role="status">
			<i class="dot"></i>
			${text}
			${kind === "lost" && html` <button class="linkish" onClick=${() => live.retry()}>Try now</button>`}
		</span>
	`;
}
