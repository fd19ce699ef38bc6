// How things are said to people.
const whole = new Intl.NumberFormat("en");

export const words = (name) => String(name ?? "").replaceAll("_", " ");
export const Words = (name) => words(name).replace(/^./, (c) => c.toUpperCase());
export const plural = (n, one, many = `${one}s`) => `${whole.format(n)} ${n === 1 ? one : many}`;

export function count(n) {
  if (n == null) return "unknown";
  if (n < 10_000) return whole.format(Math.round(n));
  return n < 1_000_000 ? `${+(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k` : `${+(n / 1e6).toFixed(1)}M`;
}

export function money(usd) {
  if (usd == null) return "cost unknown";
  if (usd === 0) return "free";
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${+(seconds / 3600).toFixed(1)} h`;
}

export function ago(at, now = Date.now()) {
  const s = Math.max(0, (now - Date.parse(at)) / 1000);
  if (s < 45) return "just now";
  if (s < 3570) return `${Math.round(s / 60) || 1} min ago`;
  if (s < 86_400) return `${Math.round(s / 3600)} h ago`;
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

export const clock = (at) => new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });

export const STATUS = {
  created: ["Ready", "idle"], running: ["Running", "live"], waiting: ["Waiting for you", "wait"],
  stopping: ["Stopping", "live"], stopped: ["Stopped", "idle"], failed: ["Failed", "bad"],
  completed: ["Completed", "done"], canceled: ["Canceled", "idle"],
};

export const DOING = {
  plan: "planning", think: "thinking", speak: "speaking", evaluate: "weighing the statement", score: "scoring",
  deliberate: "deliberating", confirm: "confirming a winner", verdict: "reaching a verdict", ask: "asking",
  summarize: "summing up", propose: "proposing", critique: "writing a critique", refine: "refining the proposal",
  synthesize: "writing the solution", answer: "answering",
};

export const DID = {
  plan: "plan", think: "thoughts", speak: "", evaluate: "evaluation", score: "score", deliberate: "deliberation",
  confirm: "choice of winner", verdict: "verdict", ask: "question", summarize: "summary", propose: "proposal",
  critique: "critique", refine: "refined proposal", synthesize: "solution", answer: "answer",
};

export const REASON = {
  done: "everything was said", max_rounds: "all rounds were played", max_runtime: "the time was up",
  max_tokens: "the token limit was reached", max_cost: "the cost limit was reached", ended: "somebody ended it",
  stopped: "somebody stopped it", canceled: "it was canceled", consensus: "they agreed",
  no_new_arguments: "nothing new was said", all_skipped: "nobody had more to say", error: "a step failed",
};

export const FLAGS = {
  truncated: "cut off at the length limit", filtered: "cut by the provider's filter", unreadable: "could not be read",
  passed: "passed", expired: "the time was up", skipped: "skipped", shortened: "older turns did not fit the model's window",
  inherited: "shared with the debate it was forked from",
};
