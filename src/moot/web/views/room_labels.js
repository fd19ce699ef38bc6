// The labels of a room: who is there, in the order in which they speak. A click mutes; the switch is for the pacing.
import { html, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { called, tone } from "../lib/people.js";
import { isOver, plural } from "../lib/words.js";
import { FaceOf, Menu } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { Add, Members } from "./room_members.js";
import { Typing } from "./room_message.js";
import { Settings } from "./room_settings.js";
import { allows } from "./room_state.js";

export function Labels({ live }) {
	const [open, setOpen] = useState(null); // {what: "add", "settings" or "members", id}
	const { participants, status } = live.state;
	const busy = new Set([...live.writing.value.values()].map((entry) => entry.participant));
	const isOpen = !isOver(status);
	const Shown = { add: Add, settings: Settings, members: Members }[open?.what];
	const items = [
		{ name: "Members and context", icon: "person", run: () => setOpen({ what: "members" }) },
		isOpen && { name: "Settings of the room", icon: "edit", run: () => setOpen({ what: "settings" }) },
	];
	return html`
		<section class="labels" aria-label="In this room">
			<div class="labels-in">
				<ul>
					${[...participants.values()].map(
						(one) => html`
							<${Label}
								key=${one.id}
								...${{ live, one }}
								isSpeaking=${busy.has(one.id)}
								onMore=${() => setOpen({ what: "members", id: one.id })}
							/>
						`,
					)}
					${isOpen && html`<li><${AddButton} live=${live} onClick=${() => setOpen({ what: "add" })} /></li>`}
				</ul>
				${isOpen && html`<${Pacing} live=${live} />`}
				<${Menu} label="Members, context and settings of the room" items=${items} />
			</div>
			${Shown && html`<${Shown} live=${live} id=${open.id} onClose=${() => setOpen(null)} />`}
		</section>
	`;
}

const AddButton = ({ live, onClick }) => html`
	<button class="btn quiet small" aria-label="Add a member" disabled=${!allows(live, "join")} onClick=${onClick}>
		<${Icon} name="plus" small />
		<span>Add</span>
	</button>
`;

function Label({ live, one, isSpeaking, onMore }) {
	const skips = live.view.value?.room?.skipped?.[one.id] ?? 0;
	const name = called(live, one.id);
	const mute = () => live.send("PATCH", `/participants/${one.id}`, { muted: !one.muted });
	const title = one.muted ? "Muted: click to let it speak again" : "Click to mute";
	return html`
		<li class=${`label ${tone(live, one.id)} ${one.muted ? "muted" : ""} ${isSpeaking ? "speaking" : ""}`}>
			<button aria-pressed=${Boolean(one.muted)} disabled=${!allows(live, "mute")} onClick=${mute} title=${title}>
				<${FaceOf} live=${live} id=${one.id} size="s" />
				<span class="name">${one.name}</span>
				${one.title && html`<small>${one.title}</small>`}
				${skips > 0 && html`<small title=${`Had nothing to add ${plural(skips, "time")}`}>↷${skips}</small>`}
				${isSpeaking && html`<${Typing} />`}
				<span class="unseen">mute</span>
			</button>
			<button class="more" aria-label=${`More about ${name}`} title="Model, instructions, remove" onClick=${onMore}>
				<${Icon} name="dots" small />
			</button>
		</li>
	`;
}

// Changes the pacing by the switch, or by Ctrl+M anywhere on the page. One change at a time.
function Pacing({ live }) {
	const isSending = useRef(false);
	const { pacing } = live.state;
	const change = async () => {
		if (isSending.current) return;
		isSending.current = true;
		await live.send("PUT", "/pacing", { pacing: live.state.pacing === "auto" ? "manual" : "auto" });
		isSending.current = false;
	};
	useLayoutEffect(() => {
		const onKey = (event) => {
			const isOurs = event.key.toLowerCase() === "m" && (event.ctrlKey || event.metaKey);
			if (!isOurs || event.shiftKey || event.altKey || document.querySelector("dialog[open]")) return;
			event.preventDefault();
			if (!event.repeat) change();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, [live]);
	// Where there is room for only one of the buttons, it changes to the other pacing.
	const choose = ({ currentTarget }, wanted) => {
		const isAlone = [...currentTarget.parentElement.children].some((one) => !one.offsetWidth);
		if (wanted !== pacing || isAlone) change();
	};
	return html`
		<div class="seg" role="group" aria-label="Pacing">
			${Object.entries(PACINGS).map(
				([wanted, [name, title]]) => html`
					<button
						key=${wanted}
						aria-pressed=${pacing === wanted}
						aria-keyshortcuts="Control+M Meta+M"
						title=${`${title} (${KEYS})`}
						onClick=${(event) => choose(event, wanted)}
					>
						${name}
					</button>
				`,
			)}
		</div>
	`;
}

const KEYS = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "") ? "⌘M" : "Ctrl+M";
const PACINGS = {
	auto: ["Auto", "They talk by themselves"],
	manual: ["Manual", "All answer, and you choose what the others hear"],
};
