// The members as labels: a click mutes, the cross removes, and the switch beside them says who leads.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { all, ask } from "../lib/api.js";
import { tinted } from "../lib/people.js";
import { say } from "../lib/toasts.js";
import { Dialog } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { allows } from "./room_state.js";
import { Settings } from "./room_settings.js";
import { isOver, plural } from "../lib/words.js";

const KEYS = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "") ? "⌘M" : "Ctrl+M";

export function Labels({ live }) {
	const [isAdding, setAdding] = useState(false);
	const [isSetting, setSetting] = useState(false);
	const { participants, status } = live.state;
	const busy = new Set([...live.writing.value.values()].map((entry) => entry.participant));
	const skipped = live.view.value?.room?.skipped ?? {};
	const mute = (one) => live.send("PATCH", `/participants/${one.id}`, { muted: !one.muted });
	const remove = async (one) => {
		if (await live.send("DELETE", `/participants/${one.id}`)) say(`${one.name} left; what was said stays`);
	};
	return html`
		<div class="room-bar">
			<ul class="labels" aria-label="Members, in the order in which they speak">
				${[...participants.values()].map(
					(one) => html`
						<li
							key=${one.id}
							...${tinted(live, one.id, `label ${one.muted ? "muted" : ""} ${busy.has(one.id) ? "busy" : ""}`)}
						>
							<button
								class="label-name"
								aria-pressed=${Boolean(one.muted)}
								disabled=${!allows(live, "mute")}
								onClick=${() => mute(one)}
								title=${one.muted ? "Muted: click to let it speak again" : "Click to mute"}
							>
								<i class="dot"></i>
								<b>${one.name}</b>
								${one.title && html` <span>${one.title}</span>`}
								${
									skipped[one.id] > 0 &&
									html`
										<span class="skips" title=${`Skipped ${plural(skipped[one.id], "time")}`}>
											<span aria-hidden="true">↷${skipped[one.id]}</span>
											<span class="unseen"> skipped ${plural(skipped[one.id], "time")},</span>
										</span>
									`
								}
								<span class="unseen"> mute</span>
							</button>
							${
								!isOver(status) &&
								html`
									<button
										class="label-close"
										aria-label=${`Remove ${one.name}`}
										title="Remove"
										disabled=${!allows(live, "leave")}
										onClick=${() => remove(one)}
									>
										<${Icon} name="close" />
									</button>
								`
							}
						</li>
					`,
				)}
			</ul>
			${
				!isOver(status) &&
				html`
					<button class="button small" disabled=${!allows(live, "join")} onClick=${() => setAdding(true)}>
						<${Icon} name="plus" />
						<span>Add</span>
					</button>
					<button class="button small quiet" disabled=${!allows(live, "settings")} onClick=${() => setSetting(true)}>
						Settings
					</button>
					<span class="spring"></span>
					<${Pacing} live=${live} />
				`
			}
			${isSetting && html`<${Settings} live=${live} onClose=${() => setSetting(false)} />`}
			${isAdding && html`<${Add} live=${live} onClose=${() => setAdding(false)} />`}
		</div>
	`;
}

// Auto or manual, by the switch or by Ctrl+M anywhere on the page. One change at a time.
function Pacing({ live }) {
	const isSending = useRef(false);
	const isAuto = live.state.pacing === "auto";
	const change = async () => {
		if (isSending.current) return;
		isSending.current = true;
		await live.send("PUT", "/pacing", { pacing: live.state.pacing === "auto" ? "manual" : "auto" });
		isSending.current = false;
	};
	useEffect(() => {
		const onKey = (event) => {
			if (
				event.key.toLowerCase() !== "m" ||
				!(event.ctrlKey || event.metaKey) ||
				event.shiftKey ||
				event.altKey ||
				document.querySelector("dialog[open]")
			)
				return;
			event.preventDefault();
			if (!event.repeat) change();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, [live]);
	return html`
		<label
			class="switch pacing"
			title=${isAuto ? "Members take turns by themselves" : "All answer, and you choose"}
		>
			<span>${isAuto ? "Auto" : "Manual"}</span>
			<input
				type="checkbox"
				role="switch"
				aria-label="Auto mode"
				aria-keyshortcuts="Control+M Meta+M"
				checked=${isAuto}
				onChange=${(event) => {
					event.target.checked = isAuto;
					change();
				}}
			/>
			<i></i>
			<kbd class="keys">${KEYS}</kbd>
		</label>
	`;
}

function Add({ live, onClose }) {
	const [personas, setPersonas] = useState([]);
	const [wanted, setWanted] = useState("");
	const [problem, setProblem] = useState(null);
	useEffect(() => {
		all("/api/personas").then(setPersonas, setProblem);
	}, []);
	const join = async (persona) => {
		try {
			live.view.value = await ask("POST", `/api/debates/${live.id}/participants`, { persona });
			onClose();
		} catch (refused) {
			setProblem(refused);
		}
	};
	const here = new Set([...live.state.participants.values()].map((one) => one.name));
	const fits = personas.filter(
		(one) => !here.has(one.name) && `${one.name} ${one.title}`.toLowerCase().includes(wanted.toLowerCase().trim()),
	);
	return html`
		<${Dialog} title="Add a member" onClose=${onClose}>
			<label class="search">
				<span class="unseen">Search personas</span>
				<${Icon} name="search" />
				<input
					type="search"
					placeholder="Search personas"
					value=${wanted}
					onInput=${(event) => setWanted(event.target.value)}
				/>
			</label>
			<ul class="join-list" tabindex="0" aria-label="Personas">
				${fits.slice(0, 60).map(
					(one) => html`
						<li key=${`${one.origin}/${one.name}`}>
							<button onClick=${() => join(one.name)}>
								<b>${one.name}</b>
								<small>${one.title || one.role}</small>
							</button>
						</li>
					`,
				)}
				${!fits.length && html`<li class="hint">No persona fits. <a href="/personas">Write one</a></li>`}
			</ul>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
		<//>
	`;
}
