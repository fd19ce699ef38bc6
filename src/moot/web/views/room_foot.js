// What stays at the bottom of a room: answers to choose from, what is going on, and the input.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { exactly, isOver, plural } from "../lib/words.js";
import { tinted } from "../lib/people.js";
import { useLeft } from "../parts/bits.js";
import { Dots, Prose } from "../parts/turn.js";
import { Icon } from "../parts/icons.js";
import { allows, isBusy, labelOf, roomOf, whyNot } from "./room_state.js";
import { useMentions } from "./room_mentions.js";

export function Foot({ live }) {
	if (isOver(live.state.status)) return null;
	return html`
		<section class="room-foot" aria-label="Your part">
			<${Pending} live=${live} />
			<${Doing} live=${live} />
			<${Say} live=${live} />
		</section>
	`;
}

// --- answers to choose from -----------------------------------------------------------------------

function Pending({ live }) {
	const { turns, pacing } = live.state;
	const { unchecked } = roomOf(live);
	const [isSending, setSending] = useState(false);
	const cards = turns.filter((turn) => turn.is_pending);
	const writing =
		pacing === "manual" ? [...live.writing.value.values()].filter((entry) => entry.visibility !== "private") : [];
	if (!cards.length && !writing.length) return null;
	const chosen = cards.filter((turn) => !unchecked.value.has(turn.seq)).map((turn) => turn.seq);
	const pick = (seq, isChosen) => {
		const now = new Set(unchecked.value);
		if (isChosen) now.delete(seq);
		else now.add(seq);
		unchecked.value = now;
	};
	const settle = async () => {
		setSending(true);
		if (await live.send("POST", "/pending", { include: chosen })) unchecked.value = new Set();
		setSending(false);
	};
	return html`
		<div class="pending">
			<ul class="pending-cards" aria-label="Answers to choose from">
				${cards.map(
					(turn) => html`
						<${Card}
							key=${turn.seq}
							live=${live}
							turn=${turn}
							isChosen=${chosen.includes(turn.seq)}
							onPick=${pick}
						/>
					`,
				)}
				${writing.map((entry) => html`<${Coming} key=${entry.step} live=${live} entry=${entry} />`)}
			</ul>
			${
				cards.length > 0 &&
				html`
					<div class="row end">
						<span class="hint">Members read only what you include.</span>
						<button class="button primary" disabled=${isSending || !allows(live, "pending")} onClick=${settle}>
							${chosen.length ? `Include ${chosen.length} of ${cards.length}` : "Include none"}
						</button>
					</div>
				`
			}
		</div>
	`;
}

function Card({ live, turn, isChosen, onPick }) {
	const one = live.person(turn.participant);
	return html`
		<${Frame} live=${live} id=${one.id} tone=${isChosen ? "" : "off"} text=${turn.content ?? ""}>
			<label>
				<input
					type="checkbox"
					checked=${isChosen}
					onChange=${(event) => onPick(turn.seq, event.target.checked)}
					aria-label=${`Include ${one.name}'s answer`}
				/>
				<${Who} one=${one} />
			</label>
			<button
				class="button quiet icon-only"
				title="Answer again"
				aria-label=${`Let ${one.name} answer again`}
				disabled=${isBusy(live)}
				onClick=${() => live.send("POST", `/participants/${one.id}/again`)}
			>
				<${Icon} name="retry" />
			</button>
		<//>
	`;
}

const Coming = ({ live, entry }) => html`
	<${Frame} live=${live} id=${entry.participant} tone="coming" text=${entry.text.value}>
		<${Who} one=${live.person(entry.participant)} />
		<${Dots} />
	<//>
`;
const Who = ({ one }) => html`<b>${one.name}</b>${one.title && html`<span class="hint">${one.title}</span>`}`;

const Frame = ({ live, id, tone, text, children }) => html`
	<li ...${tinted(live, id, `pending-card ${tone}`)} tabindex="0">
		<div class="pending-head">${children}</div>
		${text ? html`<${Prose} text=${text} />` : html`<div class="bone short"></div>`}
	</li>
`;

// --- what is going on -----------------------------------------------------------------------------

function Doing({ live }) {
	const { status, settings, turns, questions } = live.state;
	const room = live.view.value?.room;
	const writing = [...live.writing.value.values()];
	const next = useLeft(status === "running" && !writing.length ? room?.next_at : null, settings.response_delay);
	const limited = useLeft(room?.rate_limited?.until);
	const held = limited > 0 && status === "running" ? heldBack(live, room) : [];
	const waits = isBusy(live)
		? (room?.floor ?? []).filter(
				(id) =>
					!writing.some((entry) => entry.participant === id) &&
					(live.state.pacing === "auto" || room.waiting_for.includes(id)),
			).length
		: 0;
	const told = [
		status === "stopping" && "Stopping: what is being said is said to its end.",
		...writing.map(
			(entry) => html`
				<span key=${entry.step}>
					[${labelOf(live.person(entry.participant))}]${" "}
					<i>${entry.kind === "summarize" ? "summing up" : "thinking"}…</i>
				</span>
			`,
		),
		held.length > 0
			? `Waiting for ${held.join(", ")}, rate limited until ${exactly(room.rate_limited.until)}`
			: waits > 0 && `${plural(waits, "agent")} waiting to respond`,
		status === "waiting" && room?.paused && (limited > 0 ? "Auto mode paused" : `Auto mode paused: ${room.paused}`),
		status === "stopped" && "Stopped. Say something, or press Resume.",
		questions.size > 0 &&
			`Waiting for ${[...questions.values()].map((one) => live.person(one.participant).name).join(", ")}`,
		status === "waiting" &&
			!room?.paused &&
			!questions.size &&
			turns.length > 0 &&
			!turns.some((turn) => turn.is_pending) &&
			"It is your turn.",
	].filter(Boolean);
	return html`
		<p class="doing-line">
			<span role="status">${told.map((one, n) => html`${n > 0 && " · "}${one}`)}</span>
			${next > 0 && html`<span role="timer">Next response in ${next} s</span>`}
			${
				limited > 0 &&
				!held.length &&
				html`<span role="timer" class="limited">Rate limited. Retry in ${limited} s</span>`
			}
		</p>
	`;
}

// The labels of those who have the floor and whose provider wants to be left alone.
const heldBack = (live, { waiting_for, rate_limited }) =>
	waiting_for
		.map((id) => live.person(id))
		.filter((one) => one.model?.split(":")[0] === rate_limited.provider)
		.map((one) => `[${labelOf(one)}]`);

// --- the input ------------------------------------------------------------------------------------

function Say({ live }) {
	const where = draft(`${live.id}.say`);
	const { editing } = roomOf(live);
	const [text, setText] = useState(where.get());
	const [isSending, setSending] = useState(false);
	const field = useRef(null);
	const wantsFocus = useRef(false);
	const why = whyNot(live);
	const change = (now) => {
		setText(now);
		where.set(now);
	};
	const mentions = useMentions({ live, field, change });
	const edited = editing.value;
	useEffect(() => {
		if (edited) {
			change(edited.content);
			field.current?.focus();
		}
	}, [edited]);
	useEffect(() => {
		if (!why && wantsFocus.current && document.activeElement === document.body) {
			wantsFocus.current = false;
			field.current?.focus({ preventScroll: true });
		}
	}, [why]);
	const send = async (content) => {
		if (isSending || why) return;
		setSending(true);
		wantsFocus.current = document.activeElement === field.current;
		if (await deliver(live, content, edited)) {
			change("");
			editing.value = null;
		}
		setSending(false);
	};
	const onKey = (event) => {
		if (mentions.onKey(event) || event.isComposing) return;
		if (event.key === "Enter" && !event.shiftKey) {
			event.preventDefault();
			if (event.target.value.trim()) send(event.target.value);
		}
		if (event.key === "Escape" && edited) {
			editing.value = null;
			change("");
		}
	};
	const canStop = why && isBusy(live) && live.state.commands.includes("stop");
	const isBlank = !text.trim();
	// Each with a key: one button that becomes another under the pointer would take its click.
	const goesOn = isBlank && !edited && live.state.turns.length > 0;
	return html`
		<form
			class="say"
			onSubmit=${(event) => {
				event.preventDefault();
				if (!isBlank) send(text);
			}}
		>
			${
				edited &&
				html`
					<p class="hint">
						You are changing a message. When you send, the old one is left out.${" "}
						<button
							type="button"
							class="linkish"
							onClick=${() => {
								editing.value = null;
								change("");
							}}
						>
							Keep it
						</button>
					</p>
				`
			}
			<div class="say-row">
				<div class="say-field">
					${mentions.list}
					<textarea
						id="say"
						ref=${field}
						rows="1"
						maxlength="20000"
						disabled=${Boolean(why)}
						aria-label="Your message"
						aria-describedby="say-why"
						placeholder=${why ? "" : "Say something. @ for names."}
						value=${text}
						...${mentions.aria}
						onInput=${(event) => {
							change(event.target.value);
							mentions.look(event.target);
						}}
						onKeyDown=${onKey}
						onClick=${(event) => mentions.look(event.target)}
						onBlur=${mentions.close}
					></textarea>
				</div>
				${
					canStop
						? html`
							<button
								key="stop"
								type="button"
								class="button"
								disabled=${Boolean(live.busy.value)}
								onClick=${() => live.command("stop")}
							>
								<${Icon} name="pause" />
								<span>Stop</span>
							</button>
						`
						: goesOn
							? html`
								<button
									key="continue"
									type="button"
									class="button"
									title="Let the members go on without a word from you"
									disabled=${isSending || Boolean(why)}
									onClick=${() => send("")}
								>
									Continue
								</button>
							`
							: html`
								<button key="send" class="button primary" disabled=${isSending || isBlank || Boolean(why)}>
									Send
								</button>
							`
				}
			</div>
			<p class="why" id="say-why">${why}</p>
		</form>
	`;
}

// A changed message is left out before it is said again, so that nobody reads both.
async function deliver(live, content, edited) {
	if (live.state.status === "created" && !(await live.send("POST", "/start"))) return false;
	if (edited && !(await live.send("PATCH", `/turns/${edited.seq}`, { included: false }))) return false;
	if (await live.send("POST", "/messages", { content })) return true;
	if (edited) await live.send("PATCH", `/turns/${edited.seq}`, { included: true });
	return false;
}
