// What to begin with: a format, shown by what it does, or a panel, which is asked as it is.
import { html, useState } from "../lib/ui.js";
import * as draft from "../lib/composing.js";
import { FIRST, formatOf } from "../lib/formats.js";
import { broken, isDrawn, panels, seatedOn, unread } from "../lib/panels.js";
import { Words, plural } from "../lib/words.js";
import { Do } from "./fields.js";
import { Glyph } from "./icons.js";

const { form, formats } = draft;
const rank = ({ id }) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);

export function Formats({ isSlim, open }) {
	const now = draft.panel.value ? "" : form.value.format;
	const all = formats.value.length ? formats.value : FIRST.map((id) => ({ id }));
	const shown = all.filter(({ id }) => FIRST.includes(id) || (draft.isMore.value && !isSlim) || id === now);
	const more = () => {
		draft.isMore.value = true;
		open?.();
	};
	const card = ({ id, when_to_use: about }) => {
		const { name, nick, end } = formatOf(id);
		const take = () => {
			open?.();
			draft.choose(id);
		};
		return html`
			<label class="format" title=${about} key=${id}>
				<input class="unseen" type="radio" name="format" value=${id} checked=${id === now} onChange=${take} />
				<${Glyph} format=${id} />
				<b>${isSlim ? nick : name}</b>
				${!isSlim && html`<small>${end || about}</small>`}
			</label>
		`;
	};
	return html`
		<div
			class=${`formats ${isSlim ? "slim" : shown.length > FIRST.length ? "all" : ""}`}
			role="radiogroup"
			aria-label="Format"
		>
			${shown.toSorted((a, b) => rank(a) - rank(b)).map(card)}
			${
				shown.length < all.length &&
				html`
					<button type="button" class=${isSlim ? "btn quiet small" : "format more"} onClick=${more}>
						${isSlim ? "More" : "More formats"}
					</button>
				`
			}
			${
				isSlim &&
				html`
					<button
						type="button"
						class="btn quiet small"
						onClick=${() => {
							draft.isPanels.value = true;
							open();
						}}
					>
						Panels
					</button>
				`
			}
		</div>
	`;
}

// Saved set-ups, in place of a format; the user's own first.
export function Panels() {
	const all = panels.value;
	const now = draft.panel.value?.name;
	const isOpen = draft.isPanels.value || Boolean(now);
	if (unread.value) return html`<p class="error" role="alert">${unread.value}</p>`;
	const card = ({ name, about, format }) => html`
		<label class="format" title=${about} key=${name}>
			<input
				class="unseen"
				type="radio"
				name="format"
				value=${`panel ${name}`}
				checked=${name === now}
				onChange=${() => draft.choosePanel(name)}
			/>
			<${Glyph} format=${format} />
			<b>${name}</b>
			<small>${about}</small>
		</label>
	`;
	return html`
		${
			broken.value.length > 0 &&
			html`
				<p class="hint" role="status">
					${plural(broken.value.length, "panel file")} of yours cannot be read. <a href="/panels">See what is wrong</a>
				</p>
			`
		}
		<details
			class="fold panels"
			open=${isOpen}
			onToggle=${({ currentTarget }) => {
				draft.isPanels.value = currentTarget.open;
			}}
		>
			<summary>Panels <span class="hint plain">Saved set-ups that you can ask</span></summary>
			<div class="formats all" role="radiogroup" aria-label="Panels">${all?.map(card)}</div>
			<a class="hint" href="/panels">All panels</a>
		</details>
	`;
}

// Who sits on the panel that was chosen, in place of what would be chosen for a format.
export function Seated({ children }) {
	const [isBusy, setBusy] = useState(false);
	const { name, format } = draft.panel.value;
	const take = async () => {
		setBusy(true);
		await draft.takeParts().catch(draft.refuse);
		setBusy(false);
	};
	return html`
		<section aria-labelledby="seated">
			<h2>
				<span id="seated">Panel ${name}</span>
				<span class="hint">${Words(formatOf(format).nick)}</span>
				<span class="spring"></span>
				${
					!isDrawn(draft.panel.value) &&
					html`<${Do} icon="edit" look="quiet" disabled=${isBusy} onClick=${take}>Change its parts<//>`
				}
			</h2>
			<p class="seated" dir="auto">${seatedOn(draft.panel.value)}</p>
			${children}
		</section>
	`;
}
