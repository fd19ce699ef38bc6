// Who is in a room, in dialogs: one member, all of them with how full their windows are, and somebody new.
import { html, useEffect, useState } from "../lib/ui.js";
import { all, ask } from "../lib/api.js";
import { isPerson } from "../lib/people.js";
import { say } from "../lib/toasts.js";
import { count, isOver } from "../lib/words.js";
import { Dialog, FaceOf, Meter } from "../parts/bits.js";
import { allows, nameOf } from "./room_state.js";

// How much of what its model can read a member has been given.
function Window({ live, one }) {
	const found = (live.view.value?.room?.context ?? []).find((each) => each.participant === one.id);
	if (isPerson(one)) return html`<small class="hint">A person</small>`;
	if (!found?.window) return html`<small class="hint">${one.model}. Its context window is not known.</small>`;
	const assumed = found.is_assumed ? ", assumed" : "";
	return html`
		<${Meter}
			label=${one.model}
			value=${found.tokens}
			most=${found.window}
			shown=${`${Math.round(100 * found.share)} % of ${count(found.window)} tokens${assumed}`}
		/>
	`;
}

export function Members({ live, onClose, onOpen }) {
	const { settings } = live.state;
	const most = settings.max_messages;
	return html`
		<${Dialog} title="Members and context" onClose=${onClose}>
			<p class="hint">
				How much of what each can read is used. ${settings.compact ? "Whoever runs full sums up, and goes on." : ""}
				${most > 0 && ` Auto pacing has used ${live.view.value?.room?.messages ?? 0} of ${most} messages.`}
			</p>
			<ul class="windows">
				${[...live.state.participants.values()].map(
					(one) => html`
						<li key=${one.id} class=${one.muted ? "muted" : ""}>
							<${FaceOf} live=${live} id=${one.id} size="s" />
							<div>
								<b>${nameOf(live, one.id)}</b>${one.muted && html` <small class="hint">muted</small>`}
								<${Window} live=${live} one=${one} />
							</div>
							<button class="btn quiet small" aria-label=${`More about ${nameOf(live, one.id)}`} onClick=${() => onOpen(one.id)}>
								More
							</button>
						</li>
					`,
				)}
			</ul>
		<//>
	`;
}

const TEXTS = {
	personality: "Personality",
	position: "Position",
	instructions: "Instructions",
	room_instructions: "Instructions for rooms",
};

export function Member({ live, id, onClose }) {
	const one = live.person(id);
	const isHere = live.state.participants.has(id) && !isOver(live.state.status);
	const texts = Object.entries(TEXTS).filter(([field]) => one[field]);
	const mute = () => live.send("PATCH", `/participants/${id}`, { muted: !one.muted });
	const remove = async () => {
		onClose();
		if (await live.send("DELETE", `/participants/${id}`)) say(`${one.name} left. What was said stays.`);
	};
	return html`
		<${Dialog} title=${one.title ? `${one.name}, ${one.title}` : nameOf(live, id)} onClose=${onClose}>
			<${Window} live=${live} one=${one} />
			${texts.map(
				([field, label]) =>
					html`<div key=${field}><h3>${label}</h3><p class="prose small given">${one[field]}</p></div>`,
			)}
			${!texts.length && !isPerson(one) && html`<p class="hint">Nothing else was given to it.</p>`}
			${
				isHere &&
				html`
					<div class="actions end">
						<button class="btn" aria-pressed=${Boolean(one.muted)} disabled=${!allows(live, "mute")} onClick=${mute}>
							${one.muted ? "Let it speak again" : "Mute"}
						</button>
						<button class="btn danger" disabled=${!allows(live, "leave")} onClick=${remove}>Remove ${one.name}</button>
					</div>
				`
			}
		<//>
	`;
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
