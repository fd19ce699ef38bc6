// Light, dark, or as the system says.
import { preference } from "./keep.js";

export const theme = preference("theme", "system");
theme.subscribe((value) => {
	if (typeof document === "undefined") return;
	if (value === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = value;
});
export const NEXT = { system: "light", light: "dark", dark: "system" };
