// What changed between two texts, word by word. Pure, and bounded: texts that are too long are not compared.
const MOST_CELLS = 2_000_000;

const split = (text) => text.match(/\s+|[^\s]+/g) ?? [];

// [[kind, text], ...] with kind "same", "in" or "out"; null if that would take too long.
export function wordDiff(before, after) {
	const a = split(before),
		b = split(after);
	let from = 0,
		endA = a.length,
		endB = b.length;
	while (from < endA && from < endB && a[from] === b[from]) from++;
	while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
		endA--;
		endB--;
	}
	if ((endA - from) * (endB - from) > MOST_CELLS) return null;
	const parts = [];
	push(parts, "same", a.slice(0, from));
	walk(a.slice(from, endA), b.slice(from, endB), parts);
	push(parts, "same", a.slice(endA));
	return parts;
}

// The longest common subsequence; `long[i][j]` is its length from a[i] and b[j] on.
function walk(a, b, parts) {
	const width = b.length + 1;
	const long = new Uint16Array((a.length + 1) * width);
	for (let i = a.length - 1; i >= 0; i--)
		for (let j = b.length - 1; j >= 0; j--)
			long[i * width + j] =
				a[i] === b[j]
					? long[(i + 1) * width + j + 1] + 1
					: Math.max(long[(i + 1) * width + j], long[i * width + j + 1]);
	let i = 0,
		j = 0;
	while (i < a.length && j < b.length) {
		if (a[i] === b[j]) {
			push(parts, "same", [a[i++]]);
			j++;
		} else if (long[(i + 1) * width + j] >= long[i * width + j + 1]) push(parts, "out", [a[i++]]);
		else push(parts, "in", [b[j++]]);
	}
	push(parts, "out", a.slice(i));
	push(parts, "in", b.slice(j));
}

function push(parts, kind, words) {
	if (!words.length) return;
	const last = parts.at(-1);
	if (last?.[0] === kind) last[1] += words.join("");
	else parts.push([kind, words.join("")]);
}
