// Where one writes in a room. The field is never closed: it says when the words will go out.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { exactly, isOver } from "../lib/words.js";
import { called } from "../lib/people.js";
import { useLeft } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { heldOf } from "./room_held.js";
import { useMentions } from "./room_mentions.js";
import { allows, are, isBusy, pendingOf, roomOf, whenOut, writersIn } from "./room_state.js";

export function Say({ live }) {
	const held = heldOf(live);
	const isClosed = isOver(live.state.status);
	if (isClosed && !held.messages.value.length) return null;
	const part = isClosed
		? html`<div class="say"><${Waiting} live=${live} held=${held} onTakeBack=${() => held.takeBack(true)} /></div>`
		: html`<${Form} live=${live} held=${held} />`;
	return html`<section class="dock room-dock" aria-label="Write">${part}</section>`;
}

function Form({ live, held }) {
	const where = draft(`${live.id}.say`);
	const { editing } = roomOf(live);
	const [text, setText] = useState(where.get());
	const field = useRef(null);
	const edited = editing.value;
	const change = (now) => {
		setText(now);
		where.set(now);
	};
	const mentions = useMentions({ live, field, change });
	const keep = () => {
		editing.value = null;
		change("");
	};
	useEffect(() => held.listen(), [held]);
	useEffect(() => {
		if (!edited) return;
		change(edited.content);
		field.current.focus();
	}, [edited]);
	// Try again whenever something has changed that may let a message through.
	useEffect(() => {
		held.flush();
	}, [live.view.value, live.writing.value.size, live.state.status, live.connection.value.kind, held.messages.value]);
	const isBlank = !text.trim();
	const send = () => {
		if (isBlank) return;
		const instead = edited?.seq;
		keep();
		held.hold(text, instead);
		field.current.focus();
	};
	const takeBack = () => {
		change([held.takeBack(), text].filter((one) => one.trim()).join("\n\n"));
		field.current.focus();
	};
	const onKey = (event) => {
		if (mentions.onKey(event) || event.isComposing) return;
		if (event.key === "Enter" && !event.shiftKey) {
			event.preventDefault();
			send();
		}
		if (event.key === "Escape" && edited) keep();
	};
	return html`
		<form
			class="say"
			aria-label="Your message"
			onSubmit=${(event) => {
				event.preventDefault();
				send();
			}}
		>
			<${Waiting} live=${live} held=${held} onTakeBack=${takeBack} />
			${
				edited &&
				html`
					<p class="say-note">
						<span>You are changing a message. When you send it, the others no longer hear the old one.</span>
						<button type="button" class="linkish" onClick=${keep}>Keep it</button>
					</p>
				`
			}
			${mentions.list}
			<label class="unseen" for="say">Your message</label>
			<textarea
				id="say"
				ref=${field}
				rows="1"
				maxlength="20000"
				dir="auto"
				aria-describedby="say-when"
				placeholder="Say something. @ for names."
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
			<div class="say-foot">
				<${Doing} live=${live} isTyping=${!isBlank} />
				<span class="spring"></span>
				<${Buttons} live=${live} isBlank=${isBlank && !edited} />
			</div>
		</form>
	`;
}

// Each has a key: a button that turned into another under the pointer would get a click meant for the first.
function Buttons({ live, isBlank }) {
	const [isSending, setSending] = useState(false);
	const canStop = isBusy(live) && live.state.commands.includes("stop");
	const goOn = async () => {
		setSending(true);
		await live.send("POST", "/messages", { content: "" });
		setSending(false);
	};
	if (isBlank && live.state.turns.length && !canStop && allows(live, "say"))
		return html`
			<button
				key="continue"
				type="button"
				class="btn small"
				title="Without a word from you"
				disabled=${isSending}
				onClick=${goOn}
			>
				Let them go on
			</button>
		`;
	return html`
		${
			canStop &&
			html`
				<button
					key="stop"
					type="button"
					class="btn small"
					disabled=${Boolean(live.busy.value)}
					onClick=${() => live.command("stop")}
				>
					<${Icon} name="stop" small />
					<span>Stop</span>
				</button>
			`
		}
		<button key="send" class="btn primary small" disabled=${isBlank}>
			<${Icon} name="up" small />
			<span>Send</span>
		</button>
	`;
}

// Messages that were sent and wait, or never went out.
function Waiting({ live, held, onTakeBack }) {
	const messages = held.messages.value;
	if (!messages.length) return null;
	const isClosed = isOver(live.state.status);
	const why = isClosed ? "the room is over." : messages[0].problem;
	return html`
		<div class="say-note held" role="status">
			<p><b>${why ? `It was not said: ${why}` : "Yours waits."}</b> ${!why && whenOut(live)}</p>
			<button type="button" class="linkish" onClick=${onTakeBack}>${isClosed ? "Forget it" : "Take it back"}</button>
			${messages.map((one, n) => html`<blockquote key=${n} dir="auto">${one.text}</blockquote>`)}
		</div>
	`;
}

// --- what is going on -----------------------------------------------------------------------------

function Doing({ live, isTyping }) {
	const { status, settings } = live.state;
	const room = live.view.value?.room;
	const isQuiet = !live.writing.value.size;
	const next = useLeft(status === "running" && isQuiet ? room?.next_at : null, settings.response_delay);
	const limited = useLeft(room?.rate_limited?.until);
	const { provider, until } = room?.rate_limited ?? {};
	// Members that have the floor, but whose provider has asked for a pause.
	const held = (limited > 0 && status === "running" ? room.waiting_for : [])
		.filter((id) => live.person(id).model?.split(":")[0] === provider)
		.map((id) => called(live, id));
	const now = held.length ? `${are(held)} held back until ${exactly(until)}.` : sentence(live, limited > 0);
	return html`
		<span id="say-when">
			<span role="status">${(isTyping && whenOut(live)) || now}</span>
			${next > 0 && !isTyping && html` <span role="timer">The next answer comes in ${next} s.</span>`}
			${limited > 0 && !held.length && html` <span role="timer">${provider} asks for a pause of ${limited} s.</span>`}
		</span>
	`;
}

// A sentence that says what the room is doing now.
function sentence(live, isLimited) {
	const { status, turns } = live.state;
	const paused = live.view.value?.room?.paused;
	const writing = [...live.writing.value.values()];
	if (status === "stopping") return "Stopping.";
	if (writing.length)
		return `${are(writersIn(live))} ${writing.every((one) => one.kind === "summarize") ? "summing up" : "writing"}.`;
	if (status === "stopped") return "Stopped. Say something, or let them go on.";
	if (pendingOf(live.state).length) return "Choose what the others hear.";
	if (status !== "waiting" || !turns.length) return "";
	if (paused) return isLimited ? "They have paused." : `They have paused: ${paused}.`;
	return "It is your turn.";
}
