// Sets of time spans: what is covered, and what is missing.

/** Half-open: `untilMs` is excluded. Unix milliseconds; `fromMs` may be negative infinity. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The set with one more span. @param spans disjoint, oldest first, as is the result */
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

/** The parts of a span that are not in the set, oldest first. */
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
