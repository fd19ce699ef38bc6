// A read-only link: who can open it, what it shows, and how it is taken back.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { ask, get, post } from "../lib/api.js";
import { say } from "../lib/toasts.js";
import { Dialog } from "./bits.js";
import { copied } from "./turn.js";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function ShareDialog({ live, onClose }) {
	const path = `/api/debates/${live.id}/links`;
	const [link, setLink] = useState(undefined); // null if there is none
	const [problem, setProblem] = useState(null);
	const attempt = (made) => made.then(setLink, setProblem);
	useEffect(() => {
		attempt(get(path).then(({ items }) => items[0] ?? null));
	}, []);
	const revoke = async () => {
		await ask("DELETE", path);
		say("The link no longer works.");
		return null;
	};
	return html`
		<${Dialog} title="Share this debate" onClose=${onClose}>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			${link === null && html`<${Making} onMake=${(isPrivate) => attempt(post(path, { private: isPrivate }))} />`}
			${link && html`<${Made} link=${link} onRevoke=${() => attempt(revoke())} />`}
		<//>
	`;
}

function Making({ onMake }) {
	const [isPrivate, setPrivate] = useState(false);
	return html`
		<p>A link lets others read this debate, and do nothing else. You can take it back at any time.</p>
		<label class="field check">
			<input type="checkbox" checked=${isPrivate} onChange=${(event) => setPrivate(event.target.checked)} />
			<span>Show private plans and thoughts, too</span>
		</label>
		<div class="actions end">
			<button class="btn primary" onClick=${() => onMake(isPrivate)}>Make a link</button>
		</div>
	`;
}

function Made({ link, onRevoke }) {
	const box = useRef(null);
	useEffect(() => box.current.select(), []);
	const address = new URL(link.path, location.origin).href;
	const isHere = LOOPBACK.has(location.hostname);
	return html`
		<p>
			<b>
				${isHere ? "This link works on this computer only." : "Anyone with this link can read the debate."}
			</b>${" "}
			${isHere && `Nobody else can reach ${location.host}.`}
		</p>
		<p class="hint">
			${
				link.private
					? "Everything that was said, private plans and thoughts included."
					: "Statements, scores and the outcome; no plans, thoughts, prompts or costs."
			}${" "}
			It shows the debate as it stands when it is opened.
		</p>
		<div class="share-link">
			<input class="input" readonly ref=${box} aria-label="Link" value=${address} />
			<button class="btn" onClick=${() => copied(address, "Link")}>Copy</button>
		</div>
		<div class="actions">
			<a class="btn quiet" href=${address} target="_blank" rel="noreferrer">Open it</a>
			<span class="spring"></span>
			<button class="btn danger" onClick=${onRevoke}>Take the link back</button>
		</div>
	`;
}
