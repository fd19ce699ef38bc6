// Before anything is painted: the theme somebody chose, so that nothing flashes.
try {
	const chosen = JSON.parse(localStorage.getItem("moot.theme"));
	if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
	/* as the system says */
}
