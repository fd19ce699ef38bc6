// What was said in a room: a face and words on the background, one's own at the right; and notices in between.
import { html, useMemo } from "../lib/ui.js";
import { markup } from "../lib/markup.js";
import { called, isElsewhere, tone } from "../lib/people.js";
import { clock, flagged, isOver } from "../lib/words.js";
import { FaceOf, Menu, useLeft } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { Reasoning, copied } from "../parts/turn.js";
import { allows, isBusy, isYou, listed, roomOf } from "./room_state.js";

export function Message({ live, turn, isTarget, isLastAnswer, onFork }) {
	const id = turn.participant;
	const isMine = isYou(live, id);
	const told = [
		turn.wasOffered && turn.included && (isElsewhere(live) ? "chosen" : "you chose this"),
		...turn.flags.filter((flag) => flag !== "inherited").map(flagged),
	].filter(Boolean);
	const state = `${turn.included ? "" : "unheard"} ${isTarget ? "target" : ""}`;
	return html`
		<article
			class=${`message turn ${isMine ? "mine" : tone(live, id)} ${state}`}
			id=${`turn-${turn.seq}`}
			tabindex="-1"
			aria-label=${`${called(live, id)}, message`}
		>
			${!isMine && html`<${FaceOf} live=${live} id=${id} />`}
			<header>
				<b>${called(live, id)}</b>
				<a href=${`#turn-${turn.seq}`} title=${new Date(turn.at).toLocaleString()}>${clock(turn.at)}</a>
				${told.map((one) => html`<span key=${one}>${one}</span>`)}
				<${Menu}
					label=${`More about this message of ${called(live, id)}`}
					items=${actionsOf(live, turn, isLastAnswer, onFork)}
				/>
			</header>
			<div class="body">
				<${Reasoning} turn=${turn} />
				<${Words} live=${live} text=${turn.content ?? ""} />
				${!turn.included && html`<p class="hint">The others do not hear this.</p>`}
			</div>
		</article>
	`;
}

// What is being said in auto pacing: the same shape as what it becomes, so that nothing moves when it is recorded.
export const Speaking = ({ live, entry }) => html`
	<article class=${`message turn ${tone(live, entry.participant)}`} aria-busy="true">
		<${FaceOf} live=${live} id=${entry.participant} />
		<header>
			<b>${called(live, entry.participant)}</b>
			<${Typing} />
		</header>
		<div class="body"><${Words} live=${live} text=${entry.text.value} isGrowing /></div>
	</article>
`;

export const Typing = () => html`<span class="typing" role="img" aria-label="is writing"><i></i><i></i><i></i></span>`;

// Markdown, in which the members' names after an @ stand out.
export function Words({ live, text, isGrowing, small }) {
	const names = [...live.state.participants.values()].map((one) => one.name).filter(Boolean);
	const made = useMemo(
		() => markup(text, isGrowing ? undefined : standingOut(names)),
		[text, isGrowing, names.join("\n")],
	);
	return html`<div class=${`prose ${small ? "small" : ""} ${isGrowing ? "growing" : ""}`} dir="auto">${made}</div>`;
}

// Of two names that begin alike, the longer one is meant.
function standingOut(names) {
	if (!names.length) return undefined;
	const longestFirst = names.toSorted((a, b) => b.length - a.length).map(quoted);
	const mention = new RegExp(`(@(?:${longestFirst.join("|")}))`);
	return (piece) =>
		piece.includes("@")
			? piece.split(mention).map((part, n) => (n % 2 ? html`<span class="at">${part}</span>` : part))
			: piece;
}

const quoted = (name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function actionsOf(live, turn, isLastAnswer, onFork) {
	const { status, participants } = live.state;
	const isOpen = !isOver(status);
	const isFree = isOpen && !isBusy(live);
	const isSaid = turn.step_key.startsWith("said/");
	return [
		isOpen && {
			name: turn.included ? "Keep this from the others" : "Let the others hear this",
			icon: "eye",
			isOff: !allows(live, "include"),
			run: () => live.send("PATCH", `/turns/${turn.seq}`, { included: !turn.included }),
		},
		isFree &&
			isSaid && {
				name: "Edit and say again",
				icon: "edit",
				run: () => {
					roomOf(live).editing.value = turn;
				},
			},
		isFree &&
			!isSaid &&
			isLastAnswer &&
			participants.has(turn.participant) && {
				name: "Answer again",
				icon: "retry",
				run: () => live.send("POST", `/participants/${turn.participant}/again`),
			},
		{
			name: "Copy link",
			icon: "link",
			run: () => copied(`${location.origin}/debates/${live.id}#turn-${turn.seq}`, "Link"),
		},
		{ name: "Copy text", icon: "copy", run: () => copied(turn.content ?? "", "Text") },
		onFork && { name: "Fork from here", icon: "fork", run: () => onFork(turn.seq) },
	];
}

// --- what was told --------------------------------------------------------------------------------

const FAILURES = new Set(["failed", "rate_limit", "paused_rate_limited"]);
const ERRORS = new Set([...FAILURES, "context_full"]);

const TOLD = {
	joined: (names) => `${listed(names)} joined.`,
	left: (names) => `${listed(names)} left. What was said stays.`,
	skipped: (names) => `${listed(names)} ${names.length > 1 ? "have" : "has"} nothing to add.`,
	auto_started: () => "They talk by themselves now.",
	auto_stopped: () => "They no longer talk by themselves.",
};

export const lastFailures = (notices) =>
	new Map(notices.filter((one) => FAILURES.has(one.code)).map((one) => [one.participant, one.seq]));

// The words of a notice. A label in brackets, as the terminal shows it, becomes a name here.
export function wordsOf(live, notice) {
	const names = (notice.who ?? [notice.participant]).map((id) => called(live, id));
	const made = TOLD[notice.code]?.(names);
	if (made) return made;
	const one = live.person(notice.participant);
	const label = one.title ? `${one.name} | ${one.title}` : one.name;
	const text = notice.text.replace("⚠️ ", "").replaceAll(`[${label}]`, one.name);
	return text.replace("Failed to respond", "failed to respond");
}

export function Told({ live, notice, isLastFailure }) {
	const text = wordsOf(live, notice);
	if (!ERRORS.has(notice.code)) return html`<p class="system">${text}</p>`;
	const canRetry = isLastFailure && live.view.value?.room?.failed.includes(notice.participant);
	return html`
		<div class="notice">
			<p>${text}</p>
			${canRetry && html`<${Retry} live=${live} id=${notice.participant} />`}
		</div>
	`;
}

function Retry({ live, id }) {
	const left = useLeft(live.view.value?.room?.rate_limited?.until);
	return html`
		<button
			class="btn small"
			disabled=${left > 0 || isBusy(live)}
			aria-label=${`Retry ${live.person(id).name}`}
			onClick=${() => live.send("POST", `/participants/${id}/retry`)}
		>
			<${Icon} name="retry" small />
			<span>${left > 0 ? `Retry in ${left} s` : "Retry"}</span>
		</button>
	`;
}
