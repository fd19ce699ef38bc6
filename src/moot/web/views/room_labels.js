// The labels of a room: who is there, in the order in which they speak. A click mutes; the switch says who leads.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { called, isPerson, tone } from "../lib/people.js";
import { isOver, plural } from "../lib/words.js";
import { FaceOf, Menu } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { Add, Members } from "./room_members.js";
import { Typing } from "./room_message.js";
import { Settings } from "./room_settings.js";
import { allows } from "./room_state.js";

export function Labels({ live }) {
	const [open, setOpen] = useState(null); // "add", "settings", "members" or "members " and an id
	const close = () => setOpen(null);
	const { participants, status } = live.state;
	const busy = new Set([...live.writing.value.values()].map((entry) => entry.participant));
	const isOpen = !isOver(status);
	return html`
		<section class="labels" aria-label="In this room">
			<div class="labels-in">
				<ul>
					${[...participants.values()].map(
						(one) => html`
							<${Label}
								key=${one.id}
								live=${live}
								one=${one}
								isSpeaking=${busy.has(one.id)}
								onMore=${() => setOpen(`members ${one.id}`)}
							/>
						`,
					)}
					${
						isOpen &&
						html`
							<li>
								<button
									class="btn quiet small"
									aria-label="Add a member"
									disabled=${!allows(live, "join")}
									onClick=${() => setOpen("add")}
								>
									<${Icon} name="plus" small />
									<span>Add</span>
								</button>
							</li>
						`
					}
				</ul>
				${isOpen && html`<${Pacing} live=${live} />`}
				<${Menu}
					label="Members, context and settings of the room"
					items=${[
						{ name: "Members and context", icon: "person", run: () => setOpen("members") },
						isOpen && {
							name: "Settings of the room",
							icon: "edit",
							isOff: !allows(live, "settings"),
							run: () => setOpen("settings"),
						},
					]}
				/>
			</div>
			${open === "add" && html`<${Add} live=${live} onClose=${close} />`}
			${open === "settings" && html`<${Settings} live=${live} onClose=${close} />`}
			${open === "members" && html`<${Members} live=${live} onClose=${close} onOpen=${(id) => setOpen(`of ${id}`)} />`}
			${open?.startsWith("members") && html`<${Members} live=${live} id=${open.slice(8)} onClose=${close} />`}
		</section>
	`;
}

function Label({ live, one, isSpeaking, onMore }) {
	const skips = live.view.value?.room?.skipped?.[one.id] ?? 0;
	const name = called(live, one.id);
	const mute = () => live.send("PATCH", `/participants/${one.id}`, { muted: !one.muted });
	const title = one.muted ? "Muted: click to let it speak again" : "Click to mute";
	return html`
		<li class=${`label ${tone(live, one.id)} ${one.muted ? "muted" : ""} ${isSpeaking ? "speaking" : ""}`}>
			<button aria-pressed=${Boolean(one.muted)} disabled=${!allows(live, "mute")} onClick=${mute} title=${title}>
				<${FaceOf} live=${live} id=${one.id} size="s" />
				<span class="name">${isPerson(one) && one.name ? one.name : name}</span>
				${one.title && html`<small>${one.title}</small>`}
				${skips > 0 && html`<small class="skips" title=${`Had nothing to add ${plural(skips, "time")}`}>↷${skips}</small>`}
				${isSpeaking && html`<${Typing} />`}
				<span class="unseen">${one.muted ? "muted" : "mute"}</span>
			</button>
			<button class="more" aria-label=${`More about ${name}`} title="Model, instructions, remove" onClick=${onMore}>
				<${Icon} name="dots" small />
			</button>
		</li>
	`;
}

// By the switch, or by Ctrl+M anywhere on the page. One change at a time.
function Pacing({ live }) {
	const isSending = useRef(false);
	const { pacing } = live.state;
	const change = async () => {
		if (isSending.current) return;
		isSending.current = true;
		await live.send("PUT", "/pacing", { pacing: live.state.pacing === "auto" ? "manual" : "auto" });
		isSending.current = false;
	};
	useEffect(() => {
		const onKey = (event) => {
			const isOurs = event.key.toLowerCase() === "m" && (event.ctrlKey || event.metaKey);
			if (!isOurs || event.shiftKey || event.altKey || document.querySelector("dialog[open]")) return;
			event.preventDefault();
			if (!event.repeat) change();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, [live]);
	// Where there is room for one of them only, it changes to the other.
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
