// Spans of time as a set: what is covered, and what is not.

/** From a moment on until another, which is not part of it. Unix milliseconds; from negative infinity: all before. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The same set with one more span. @param spans apart from each other, oldest first, as is the answer */
export function addSpan(spans: readonly Span[], { fromMs, untilMs }: Span): readonly Span[] {
  if (fromMs >= untilMs) return spans;
  const touching = spans.filter((each) => each.untilMs >= fromMs && each.fromMs <= untilMs);
  const joined = {
    fromMs: Math.min(fromMs, ...touching.map((each) => each.fromMs)),
    untilMs: Math.max(untilMs, ...touching.map((each) => each.untilMs)),
  };
  return [...spans.filter((each) => !touching.includes(each)), joined].sort(
    (a, b) => a.fromMs - b.fromMs,
  );
}

/** What of a span is not in the set, oldest first. */
export function spansLacking(spans: readonly Span[], { fromMs, untilMs }: Span): readonly Span[] {
  const lacking: Span[] = [];
  let at = fromMs;
  for (const each of spans) {
    if (each.untilMs <= at || each.fromMs >= untilMs) continue;
    if (each.fromMs > at) lacking.push({ fromMs: at, untilMs: each.fromMs });
    at = each.untilMs;
  }
  if (at < untilMs) lacking.push({ fromMs: at, untilMs });
  return lacking;
}
