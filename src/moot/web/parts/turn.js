// One turn, recorded or being written. Public ones are cards; private ones are one line until they are opened.
import { html, useMemo, useState } from "../lib/ui.js";
import { markup } from "../lib/markup.js";
import { NO_SCORE, clock, doing, duration, flagged, noun, written } from "../lib/words.js";
import { tint } from "../lib/people.js";
import { preference } from "../lib/keep.js";
import { say } from "../lib/toasts.js";
import { Avatar, Menu, Stance, copy } from "./bits.js";

export const showsPrivate = preference("private", false);

export const Prose = ({ text }) => {
	const made = useMemo(() => markup(text), [text]);
	return html`<div class="prose" dangerouslySetInnerHTML=${{ __html: made }} />`;
};

const permalink = (live, seq) => `${location.origin}/debates/${live.id}#turn-${seq}`;

async function copied(text, what) {
	say((await copy(text)) ? `${what} copied` : "The browser does not allow copying", {});
}

export function Turn({ live, turn, score, isTarget, onFork, extra, more = [] }) {
	const person = live.person(turn.participant);
	const colour = tint(live, turn.participant);
	const actions = [
		...more,
		{
			name: "Copy link",
			icon: "link",
			run: () => {
				history.replaceState(null, "", `#turn-${turn.seq}`);
				copied(permalink(live, turn.seq), "Link");
			},
		},
		{ name: "Copy text", icon: "copy", run: () => copied(turn.content ?? "", "Text") },
		onFork && { name: "Fork from here", icon: "fork", run: () => onFork(turn.seq) },
	];
	return turn.isPrivate
		? html`<${PrivateTurn} ...${{ turn, person, colour, actions, isTarget }} />`
		: html`
			<article
				class=${`turn ${colour.class} ${isTarget ? "target" : ""} ${turn.included === false ? "excluded" : ""}`}
				style=${colour.style}
				id=${`turn-${turn.seq}`}
				tabindex="-1"
				aria-label=${`${person.name}, ${noun(turn.kind)}`}
			>
				<${Avatar} name=${person.name} tint=${colour} isHuman=${person.model === "human"} />
				<div class="turn-in">
					<header class="turn-head">
						<b class="who">${person.name}</b>
						${person.title && html`<span class="title">${person.title}</span>`}
						<${Stance} stance=${person.stance} />
						${turn.kind !== "speak" && html`<span class="kind">${noun(turn.kind)}</span>`}
						${
							score &&
							html`
								<span class="score" title=${`${live.person(score.by).name} gives ${score.score} of 10`}>
									${score.score}
									<small>/10</small>
								</span>
							`
						}
						<span class="spring"></span>
						<a class="when" href=${`#turn-${turn.seq}`} title=${about(turn)}>${clock(turn.at)}</a>
						${extra}
						<${Menu} label="More about this turn" items=${actions} />
					</header>
					<${Reasoning} turn=${turn} />
					<${Prose} text=${turn.content ?? ""} />
					<${Flags} turn=${turn} />
				</div>
			</article>
		`;
}

// What was thought before the turn.
export function Reasoning({ turn }) {
	if (!turn.reasoning) return null;
	return html`
		<details class="reasoning" open=${showsPrivate.value}>
			<summary>Thought before this</summary>
			<${Prose} text=${turn.reasoning} />
		</details>
	`;
}

function PrivateTurn({ turn, person, colour, actions, isTarget }) {
	const [own, setOwn] = useState(null);
	const isOpen = own ?? (showsPrivate.value || isTarget);
	return html`
		<article
			class=${`turn private ${colour.class} ${isOpen ? "open" : ""} ${isTarget ? "target" : ""}`}
			style=${colour.style}
			id=${`turn-${turn.seq}`}
			tabindex="-1"
			aria-label=${`${person.name}, private ${noun(turn.kind)}`}
		>
			<div class="private-head">
				<button class="private-toggle" aria-expanded=${isOpen} onClick=${() => setOwn(!isOpen)}>
					<i class="mark"></i>
					<b>${person.name}</b>
					<span class="kind">${noun(turn.kind)}</span>
					<span class="gist">${isOpen ? "" : gist(turn)}</span>
				</button>
				${isOpen && html`<${Menu} label="More about this turn" items=${actions} />`}
			</div>
			${
				isOpen &&
				html`
					<div class="private-body">
						<${Reasoning} turn=${turn} />
						<${Prose} text=${textOf(turn)} />
						<${Flags} turn=${turn} />
					</div>
				`
			}
		</article>
	`;
}

const textOf = ({ kind, data, content }) =>
	kind === "score" && isScored(data) ? `**${data.score} of 10.** ${data.reasoning ?? ""}` : (content ?? "");

const isScored = (data) => typeof data?.score === "number";

// In one line. What could not be read is said to be so, and not shown as if it were an answer.
function gist({ kind, data, flags, content }) {
	const is = (flag) => flags?.includes(flag);
	if (is("hidden")) return "hidden";
	if (kind === "score") return isScored(data) ? `${data.score} of 10` : is("passed") ? flagged("passed") : NO_SCORE;
	if (data?.winner && data.scores) {
		const points = Object.entries(data.scores).map((pair) => pair.join(" "));
		return `${data.winner}: ${points.join(", ")}`;
	}
	const text = String(content ?? "")
		.replace(/[*_#`>\s]+/g, " ")
		.trim();
	return (is("unreadable") ? `${flagged("unreadable")}: ${text}` : text).slice(0, 160);
}

function about(turn) {
	const parts = [new Date(turn.at).toLocaleString()];
	if (turn.model) parts.push(turn.model);
	if (turn.usage?.output_tokens) parts.push(written(turn.usage));
	if (turn.duration_ms) parts.push(duration(turn.duration_ms / 1000));
	if (turn.attempts > 1) parts.push(`${turn.attempts} attempts`);
	return parts.join(" · ");
}

function Flags({ turn }) {
	const told = (turn.flags ?? []).map(flagged);
	if (turn.included === false) told.push("left out of later prompts");
	return told.length
		? html`
			<p class="flags">
				${told.map((flag) => html`<span key=${flag}>${flag}</span>`)}
			</p>
		`
		: null;
}

// What is being written: the same shape as what it becomes, so that nothing moves when it is recorded.
export function Writing({ live, entry }) {
	const person = live.person(entry.participant);
	const colour = tint(live, entry.participant);
	const text = entry.text.value;
	if (entry.visibility === "private") {
		return html`
			<article class=${`turn private writing ${colour.class}`} style=${colour.style}>
				<div class="private-head">
					<span class="private-toggle">
						<i class="mark"></i>
						<b>${person.name}</b>
						<span class="kind">is ${doing(entry.kind)}</span>
						<${Dots} />
						<span class="gist">${showsPrivate.value ? "" : text.replace(/\s+/g, " ").slice(-140)}</span>
					</span>
				</div>
				${showsPrivate.value && text && html`<div class="private-body"><${Prose} text=${text} /></div>`}
			</article>
		`;
	}
	return html`
		<article
			class=${`turn writing ${colour.class}`}
			style=${colour.style}
			aria-label=${`${person.name} is ${doing(entry.kind)}`}
		>
			<${Avatar} name=${person.name} tint=${colour} />
			<div class="turn-in">
				<header class="turn-head">
					<b class="who">${person.name}</b>
					${person.title && html`<span class="title">${person.title}</span>`}
					<${Stance} stance=${person.stance} />
					<span class="kind">${doing(entry.kind)}</span>
					<${Dots} />
				</header>
				${text ? html`<${Prose} text=${text} />` : html`<div class="bone short"></div>`}
			</div>
		</article>
	`;
}

export const Dots = () => html`
	<span class="dots" aria-hidden="true">
		<i></i>
		<i></i>
		<i></i>
	</span>
`;
