// A button that is pressed counts, even if the page moves it away from under the pointer before it is let go: what was
// being fetched has arrived above it, or a debate goes on. Moving the pointer away calls the press off, as always.
const CALLED_OFF_PX = 12;

export function keepPresses() {
	addEventListener("pointerdown", (down) => {
		const button = down.target.closest?.("button");
		// A finger is kept on what it touched by the browser itself.
		if (!button || down.pointerType === "touch" || down.button !== 0) return;
		button.setPointerCapture(down.pointerId);
		const onMove = (move) => {
			const isAway = Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY) > CALLED_OFF_PX;
			const { left, right, top, bottom } = button.getBoundingClientRect();
			const isInside = move.clientX >= left && move.clientX <= right && move.clientY >= top && move.clientY <= bottom;
			if (isAway && !isInside) button.releasePointerCapture(down.pointerId);
		};
		button.addEventListener("pointermove", onMove);
		const onLost = () => button.removeEventListener("pointermove", onMove);
		button.addEventListener("lostpointercapture", onLost, { once: true });
	});
}
