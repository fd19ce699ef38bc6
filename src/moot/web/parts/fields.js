// One field of a form that the server described.
import { html } from "../lib/ui.js";
import { Words } from "../lib/words.js";

const INPUTS = {
	text: (p) => html`
		<input type="text" ...${p.common} value=${p.value ?? ""} onInput=${(e) => p.onChange(e.target.value)} />
	`,
	long_text: (p) => html`
		<textarea
			rows="4"
			maxlength="20000"
			...${p.common}
			value=${p.value ?? ""}
			onInput=${(e) => p.onChange(e.target.value)}
		></textarea>
	`,
	list: (p) => html`
		<textarea
			rows="4"
			placeholder="One per line"
			...${p.common}
			value=${p.value ?? ""}
			onInput=${(e) => p.onChange(e.target.value)}
		></textarea>
	`,
	number: (p) => html`
		<input
			type="number"
			inputmode=${p.field.is_whole ? "numeric" : "decimal"}
			step=${p.field.is_whole ? "1" : "any"}
			...${p.common}
			min=${p.field.minimum}
			max=${p.field.maximum}
			value=${p.value ?? ""}
			onInput=${(e) => p.onChange(e.target.value)}
		/>
	`,
	bool: (p) => html`
		<input
			type="checkbox"
			...${p.common}
			required=${false}
			checked=${Boolean(p.value)}
			onChange=${(e) => p.onChange(e.target.checked)}
		/>
	`,
	choice: (p) =>
		p.field.choices?.length <= 4 && p.field.required
			? html`
				<div
					class="segmented"
					role="radiogroup"
					aria-label=${p.field.label ?? Words(p.field.name)}
					id=${p.common.id}
				>
					${p.field.choices.map(
						(one) => html`
							<label key=${one.value}>
								<input
									type="radio"
									name=${p.common.id}
									required
									checked=${p.value === one.value}
									onChange=${() => p.onChange(one.value)}
								/>
								<span>${one.label}</span>
							</label>
						`,
					)}
				</div>
			`
			: html`
				<select ...${p.common} value=${p.value ?? ""} onChange=${(e) => p.onChange(e.target.value)}>
					${
						p.field.isOptional
							? html`<option value="">${p.field.unset ?? "As the model likes"}</option>`
							: html`<option value="" disabled hidden></option>`
					}
					${(p.field.choices ?? []).map(
						(one) => html`<option key=${one.value} value=${one.value}>${one.label}</option>`,
					)}
				</select>
			`,
};

// `field` is {name, label, kind, required, choices, minimum, maximum, about}.
export function Field({ field, value, onChange, id, error }) {
	const make = INPUTS[field.kind] ?? INPUTS.text;
	const notes = [(field.about || field.minimum != null) && `${id}-about`, error && `${id}-error`]
		.filter(Boolean)
		.join(" ");
	const common = {
		id,
		required: field.required,
		"aria-invalid": error ? "true" : undefined,
		"aria-describedby": notes || undefined,
	};
	const span =
		field.minimum != null && field.kind === "number"
			? `${field.minimum.toLocaleString("en")} to ${field.maximum.toLocaleString("en")}`
			: "";
	return html`
		<div class=${`field ${field.kind}`}>
			<label for=${id} id=${`${id}-label`}>${field.label ?? Words(field.name)}</label>
			${make({ field, value, onChange, common })}
			${
				(field.about || span) &&
				html`<small id=${`${id}-about`}>${[field.about, span].filter(Boolean).join(" ")}</small>`
			}
			${error && html`<p class="error" id=${`${id}-error`} role="alert">${error}</p>`}
		</div>
	`;
}
