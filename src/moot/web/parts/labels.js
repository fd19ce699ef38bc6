// Who really made the better case, as people say: told below the outcome, and said in a dialog.
import { html, useEffect, useState } from "../lib/ui.js";
import { ask, get } from "../lib/api.js";
import { say } from "../lib/toasts.js";
import { ago } from "../lib/words.js";
import { Asking } from "./again_dialogs.js";
import { Do, Field } from "./fields.js";

export const ASKED = "Who really made the better case?";
const WHY = "Labels are how you find out whether judges are right. No model ever sees them.";
const OWN = "user"; // who gives a label if nobody else is named
const TIE = "tie";
const MAX_NOTE = 2000;
const MOST_SHORT = 14;
const STANCES = { pro: "for", con: "against" };

// {items, sides}, read again when the labels change; null until they are here.
function useLabels(live) {
	const [found, setFound] = useState(null);
	const [problem, setProblem] = useState(null);
	const known = JSON.stringify(live.view.value?.labels);
	useEffect(() => {
		const abort = new AbortController();
		get(`/api/debates/${live.id}/labels`, { signal: abort.signal }).then(
			(page) => {
				setFound(page);
				setProblem(null);
			},
			(refused) => refused.name !== "AbortError" && setProblem(refused),
		);
		return () => abort.abort();
	}, [known]);
	return [found, problem];
}

const nameOf = ({ sides }, id) => (id === TIE ? "A tie" : (sides.find((one) => one.id === id)?.name ?? id));
const ownIn = (labels) => labels?.find((one) => one.by === OWN);

// --- below the outcome -----------------------------------------------------------------------------

export function Labels({ live, open }) {
	const [found, problem] = useLabels(live);
	const own = ownIn(found?.items);
	return html`
		<section class="labels-given" aria-labelledby="labels-given">
			<h3 id="labels-given">${ASKED}</h3>
			${problem && html`<p class="error">${problem.detail}</p>`}
			${
				found?.items.length > 0 &&
				html`
					<ul>
						${found.items.map(
							(one) => html`
								<li key=${one.by} dir="auto">
									<b>${nameOf(found, one.winner)}</b>, ${one.by === OWN ? "you say" : `says ${one.by}`}${
										one.note ? html`: <span class="why">${one.note}</span>` : "."
									}
									${" "}<time class="hint" datetime=${one.at}>${ago(one.at)}</time>
								</li>
							`,
						)}
					</ul>
				`
			}
			${found && !own && html`<p class="hint">${WHY}</p>`}
			<p>
				<${Do} onClick=${() => open("label")}>${own ? "Change your label" : "Say who"}<//>
			</p>
		</section>
	`;
}

// --- in a dialog -----------------------------------------------------------------------------------

export function LabelDialog({ live, onClose }) {
	const [found, problem] = useLabels(live);
	const [values, setValues] = useState({});
	const path = `/api/debates/${live.id}/label`;
	const own = ownIn(found?.items);
	const now = { winner: own?.winner ?? "", note: own?.note ?? "", ...values };
	const settle = (text, undone) => {
		live.look();
		onClose();
		say(text, undone && { action: { name: "Undo", run: undone } });
	};
	const send = async () => {
		await ask("PUT", path, now);
		settle("Your label is kept.");
	};
	const undone = () =>
		ask("PUT", path, { winner: own.winner, note: own.note }).then(
			() => live.look(),
			(refused) => say(refused.detail, { kind: "bad" }),
		);
	const remove = async () => {
		// If the label is gone already, that is what was wanted.
		await ask("DELETE", path).catch((refused) => {
			if (refused.status !== 404) throw refused;
		});
		settle("Your label is removed.", undone);
	};
	const field = (wrong) => (one) =>
		html`
		<${Field}
			key=${one.name}
			id=${`label-${one.name}`}
			field=${one}
			value=${now[one.name]}
			error=${wrong(one.name)}
			onChange=${(value) => setValues((all) => ({ ...all, [one.name]: value }))}
		/>
	`;
	const fields = (wrong) =>
		found?.sides.length
			? fieldsOf(found).map(field(wrong))
			: problem
				? html`<p class="error" role="alert">${problem.detail}</p>`
				: found
					? html`<p>There is nobody to name in this debate.</p>`
					: html`<div class="bone block"></div>`;
	return html`
		<${Asking}
			title=${ASKED}
			action="Save"
			isOff=${!found?.sides.length}
			other=${own && { name: "Remove", send: remove }}
			send=${send}
			onClose=${onClose}
			fields=${fields}
		>
			<p>${WHY} They are kept beside the debate, and saying something else replaces what you said.</p>
		<//>
	`;
}

function fieldsOf({ sides }) {
	const named = sides.map(({ id, name, stance }) => ({
		value: id,
		label: stance ? `${name}, ${STANCES[stance]}` : name,
	}));
	const choices = [...named, { value: TIE, label: "A tie" }];
	// Short choices stand side by side even on the narrowest screen; others are in a list.
	const isShort = choices.length <= 3 && choices.every(({ label }) => label.length <= MOST_SHORT);
	return [
		{ name: "winner", label: "The better case", kind: "choice", required: isShort, choices, more: { required: true } },
		{ name: "note", label: "Why, if you like", kind: "long_text", more: { maxlength: MAX_NOTE } },
	];
}
