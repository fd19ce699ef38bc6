// Which model for every seat: those that can be used now, with the price of this debate, and why others cannot be.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import { change, changeSeat, form, modelOf, models, useModel, wanted, withModel } from "../lib/composing.js";
import { bare, full, isHere, needs, provider } from "../lib/models.js";
import { money } from "../lib/words.js";
import { Icon } from "./icons.js";
import { called, SeatModel } from "./seats.js";

const MOST_PRICED = 12;
const NAMED = /^[\w.-]+:\S+$/;

// Every model that can be chosen, as {name, about}.
export function usable(page, chosen) {
	const found = new Map();
	const add = (name, about) => name && !found.has(name) && found.set(name, { name, about });
	for (const row of page?.items ?? []) {
		if (!isHere(row)) continue;
		const about =
			row.provider === "local"
				? "Built in. A toy: good for trying Moot out"
				: row.models.length
					? `On this computer, by ${provider(row.provider)}`
					: provider(row.provider);
		for (const name of [row.default_model, ...row.models]) add(name && full(row, name), about);
	}
	for (const one of [chosen, page?.debaters?.model, page?.judges?.model])
		if (one) add(one, provider(one.slice(0, one.indexOf(":"))));
	return [...found.values()];
}

// What each would cost, asked one after another while the list is open.
function usePrices(names, isOpen) {
	const [prices, setPrices] = useState({});
	useEffect(() => {
		if (!isOpen) return undefined;
		const abort = new AbortController();
		const now = form.value;
		setPrices({});
		(async () => {
			for (const name of names.slice(0, MOST_PRICED)) {
				try {
					const body = wanted({ ...now, ...withModel(now, name) });
					const seen = await post("/api/forecasts", { ...body, topic: body.topic || "?" }, { signal: abort.signal });
					const { cost_usd: cost } = seen;
					const about = cost ? money((cost.low + cost.high) / 2) : "price unknown";
					setPrices((all) => ({ ...all, [name]: cost?.high ? `≈ ${about}` : about }));
				} catch {
					if (abort.signal.aborted) return;
				}
			}
		})();
		return () => abort.abort();
	}, [isOpen]);
	return prices;
}

export function ModelPicker({ error }) {
	const [isOpen, setOpen] = useState(false);
	const [query, setQuery] = useState("");
	const [at, setAt] = useState(0);
	const box = useRef(null);
	const page = models.value;
	const now = modelOf();
	const judge = form.value.values.model_judge || page?.judges?.model || now;
	const all = usable(page, now);
	const prices = usePrices(
		all.map((one) => one.name),
		isOpen,
	);
	const has = (text) => text.toLowerCase().includes(query.trim().toLowerCase());
	const ready = all.filter((one) => has(`${one.name} ${one.about}`));
	const typed = query.trim();
	if (NAMED.test(typed) && !all.some((one) => one.name === typed))
		ready.push({ name: typed, about: "As you typed it" });
	const others = (page?.items ?? []).filter((row) => !isHere(row) && has(row.provider));
	useLayoutEffect(() => {
		if (isOpen) box.current.querySelector("input").focus();
	}, [isOpen]);
	useEffect(() => {
		if (isOpen) box.current.querySelector(`#model-${at}`)?.scrollIntoView({ block: "nearest" });
	}, [at]);
	const close = () => {
		setOpen(false);
		setQuery("");
		box.current.querySelector(".pickbutton").focus();
	};
	const take = (one) => {
		if (one) useModel(one.name);
		close();
	};
	const onKey = (event) => {
		if (!isOpen) return;
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (event.key === "Escape") {
			event.stopPropagation();
			close();
		} else if (step) {
			event.preventDefault();
			setAt((at + step + ready.length) % (ready.length || 1));
		} else if (event.key === "Enter" && event.target.tagName === "INPUT") {
			event.preventDefault();
			take(ready[at]);
		}
	};
	const onBlur = (event) => {
		if (isOpen && event.relatedTarget && !box.current?.contains(event.relatedTarget)) setOpen(false);
	};
	useEffect(() => {
		if (!isOpen) return undefined;
		const away = (event) => !box.current.contains(event.target) && setOpen(false);
		addEventListener("pointerdown", away);
		return () => removeEventListener("pointerdown", away);
	}, [isOpen]);
	return html`
		<div class="picks" ref=${box} onKeyDown=${onKey} onfocusout=${onBlur}>
			<button
				type="button"
				class="pickbutton"
				aria-haspopup="listbox"
				aria-expanded=${isOpen}
				aria-invalid=${error ? "true" : undefined}
				onClick=${() => {
					setAt(
						Math.max(
							0,
							all.findIndex((one) => one.name === now),
						),
					);
					setOpen(!isOpen);
				}}
			>
				<span class="spring">
					<b>${bare(now) || "No model yet"}</b>${" "}
					<span class="hint">
						${form.value.isPerSeat ? "where no other is named" : judge === now ? "for every seat" : `judges: ${bare(judge)}`}
					</span>
				</span>
				<${Icon} name="down" small />
			</button>
			${
				isOpen &&
				html`
					<div class="menu picker">
						<input
							class="input"
							type="text"
							role="combobox"
							aria-label="Find a model"
							aria-expanded="true"
							aria-controls="ready-models"
							aria-activedescendant=${ready[at] ? `model-${at}` : undefined}
							placeholder="Type to filter, or provider:name"
							spellcheck=${false}
							autocomplete="off"
							maxlength="200"
							value=${query}
							onInput=${(event) => {
								setQuery(event.target.value);
								setAt(0);
							}}
						/>
						<h3>Ready</h3>
						<div role="listbox" id="ready-models" aria-label="Ready models">
							${ready.map(
								(one, n) => html`
									<div
										key=${one.name}
										id=${`model-${n}`}
										class=${n === at ? "model at" : "model"}
										role="option"
										aria-selected=${one.name === now}
										onClick=${() => take(one)}
									>
										${one.name === now ? html`<${Icon} name="check" small />` : html`<span></span>`}
										<b>${bare(one.name)}</b>
										<span class="price">${prices[one.name] ?? ""}</span>
										<small>${one.about}</small>
									</div>
								`,
							)}
						</div>
						${ready.length === 0 && html`<p class="hint none">None of that name.</p>`}
						${
							others.length > 0 &&
							html`
								<h3>Not usable now</h3>
								<ul>
									${others.map(
										(row) => html`
											<li class="model off" key=${row.provider}>
												<span></span>
												<b>${provider(row.provider)}</b>
												<span></span>
												<small>${needs(row)}</small>
											</li>
										`,
									)}
								</ul>
							`
						}
						<hr />
						<button
							type="button"
							onClick=${() => {
								change({ isPerSeat: true });
								close();
							}}
						>
							Choose a model for each seat
						</button>
					</div>
				`
			}
			${error && html`<p class="error" role="alert">${error}</p>`}
			${form.value.isPerSeat && html`<${EachSeat} />`}
			<datalist id="known-models">${all.map((one) => html`<option value=${one.name} />`)}</datalist>
		</div>
	`;
}

const EachSeat = () => html`
	<div class="each">
		${form.value.rows?.map(
			(row, n) =>
				row.model !== "human" &&
				html`
					<${SeatModel}
						key=${n}
						id=${`model-of-${n}`}
						row=${row}
						label=${called(row)}
						set=${(changes) => changeSeat(n, changes)}
					/>
				`,
		)}
	</div>
`;
