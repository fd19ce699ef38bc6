// One field of a form that the server described.
import { html } from "../lib/ui.js";
import { Words } from "../lib/words.js";
import { Icon } from "./icons.js";

// A small button inside a form that does something other than send it.
export const Do = ({ icon, look = "", children, ...rest }) => html`
	<button type="button" class=${`btn small ${look}`} ...${rest}>
		${icon && html`<${Icon} name=${icon} small />`} ${children}
	</button>
`;

const typed = (p) => ({ ...p.common, value: p.value ?? "", onInput: (e) => p.onChange(e.target.value) });
const area = (p, more) => html`
	<textarea class="input" rows="2" maxlength="20000" ...${more} ...${typed(p)}></textarea>
`;
const INPUTS = {
	text: (p) => html`<input type="text" class="input" ...${typed(p)} />`,
	color: (p) => html`<input type="color" ...${typed(p)} value=${p.value?.startsWith("#") ? p.value : "#8a8f98"} />`,
	long_text: (p) => area(p),
	list: (p) => area(p, { placeholder: "One per line" }),
	number: (p) => html`
		<input
			type="number"
			class="input"
			inputmode=${p.field.is_whole ? "numeric" : "decimal"}
			step=${p.field.is_whole ? "1" : "any"}
			min=${p.field.minimum}
			max=${p.field.maximum}
			...${typed(p)}
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
				<div class="seg" role="radiogroup" aria-label=${p.field.label ?? Words(p.field.name)} id=${p.common.id}>
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
					${p.field.choices?.map((one) => html`<option value=${one.value}>${one.label}</option>`)}
				</select>
			`,
};

// `field` is {name, label, kind, required, choices, minimum, maximum, about, more}; `more` is for the input itself.
export function Field({ field, value, onChange, id, error }) {
	const make = INPUTS[field.kind] ?? INPUTS.text;
	const isSpan = field.minimum != null && field.kind === "number";
	const span = isSpan ? `${field.minimum.toLocaleString("en")} to ${field.maximum.toLocaleString("en")}` : "";
	const told = [field.about, span].filter(Boolean).join(" ");
	const common = {
		id,
		required: field.required,
		"aria-invalid": error ? "true" : undefined,
		"aria-describedby": [told && `${id}-about`, error && `${id}-error`].filter(Boolean).join(" ") || undefined,
		...field.more,
	};
	const label = html`<label for=${id} id=${`${id}-label`}>${field.label ?? Words(field.name)}</label>`;
	const isCheck = field.kind === "bool";
	return html`
		<div class=${`field ${isCheck ? "check" : field.kind}`}>
			${!isCheck && label} ${make({ field, value, onChange, common })} ${isCheck && label}
			${told && html`<small id=${`${id}-about`}>${told}</small>`}
			${error && html`<p class="error" id=${`${id}-error`} role="alert">${error}</p>`}
		</div>
	`;
}
