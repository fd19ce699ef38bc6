// Who is in a room, in dialogs: the members with their context windows and what they were told, and adding somebody.
import { html, useEffect, useState } from "../lib/ui.js";
import { all, ask } from "../lib/api.js";
import { called, isPerson } from "../lib/people.js";
import { say } from "../lib/toasts.js";
import { count, isOver, Words } from "../lib/words.js";
import { Dialog, FaceOf, Meter } from "../parts/bits.js";
import { allows } from "./room_state.js";

// All members; with `id`, only that one, with all that it was told.
export function Members({ live, id, onClose }) {
	const { participants, settings } = live.state;
	const everybody = [...participants.values()];
	const shown = id ? everybody.filter((one) => one.id === id) : everybody;
	return html`
		<${Dialog} title=${id ? called(live, id) : "Members and context"} onClose=${onClose}>
			<ul class="windows" tabindex="0" aria-label="Members">
				${shown.map((one) => html`<${Member} key=${one.id} live=${live} one=${one} isOpen=${Boolean(id)} />`)}
				${!shown.length && html`<li class="hint">Left. What was said stays.</li>`}
			</ul>
			${
				!id &&
				settings.max_messages > 0 &&
				html`
					<p class="hint">
						Auto pacing has used ${live.view.value?.room?.messages ?? 0} of ${settings.max_messages} messages.
					</p>
				`
			}
		<//>
	`;
}

const GIVEN = ["personality", "position", "instructions", "room_instructions"];

function Member({ live, one, isOpen }) {
	const path = `/participants/${one.id}`;
	const remove = async () => {
		if (await live.send("DELETE", path)) say(`${one.name} left. What was said stays.`);
	};
	return html`
		<li>
			<${FaceOf} live=${live} id=${one.id} size="s" />
			<div>
				${!isOpen && html`<b>${called(live, one.id)}</b>`}
				<small class="hint">${one.title} ${one.muted && "(muted)"}</small>
				<${Window} live=${live} one=${one} />
				<details class="fold" open=${isOpen}>
					<summary>What it was told</summary>
					${GIVEN.filter((field) => one[field]).map(
						(field) => html`<p key=${field} class="given"><b>${Words(field)}.</b> ${one[field]}</p>`,
					)}
				</details>
				${
					!isOver(live.state.status) &&
					html`
						<div class="actions">
							<button
								class="btn small"
								disabled=${!allows(live, "mute")}
								onClick=${() => live.send("PATCH", path, { muted: !one.muted })}
							>
								${one.muted ? "Let it speak again" : "Mute"}
							</button>
							<button class="btn small danger" disabled=${!allows(live, "leave")} onClick=${remove}>
								Remove ${one.name}
							</button>
						</div>
					`
				}
			</div>
		</li>
	`;
}

// How full a member's context window is.
function Window({ live, one }) {
	const found = (live.view.value?.room?.context ?? []).find((each) => each.participant === one.id);
	if (isPerson(one)) return html`<p class="hint">A person</p>`;
	if (!found?.window) return html`<p class="hint">${one.model}: its context window is not known.</p>`;
	const assumed = found.is_assumed ? ", assumed" : "";
	const shown = `${Math.round(100 * found.share)} % of ${count(found.window)} tokens${assumed}`;
	return html`<${Meter} label=${one.model} value=${found.tokens} most=${found.window} shown=${shown} />`;
}

export function Add({ live, onClose }) {
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
			<label class="field">
				<span>Search personas</span>
				<input class="input" type="search" value=${wanted} onInput=${(event) => setWanted(event.target.value)} />
			</label>
			<ul class="join" tabindex="0" aria-label="Personas">
				${fits.slice(0, 60).map(
					(one) => html`
						<li key=${`${one.origin}/${one.name}`}>
							<button onClick=${() => join(one.name)}><b>${one.name}</b><small>${one.title || one.role}</small></button>
						</li>
					`,
				)}
				${!fits.length && html`<li class="hint">No persona fits. <a href="/personas">Write one</a></li>`}
			</ul>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
		<//>
	`;
}
