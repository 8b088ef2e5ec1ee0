// Retry-After, in both of its forms. It comes from outside: any text is possible.

/** A service that asks for more than this means "not today": we ask again all the same, seldom. */
const MAX_WAIT_MS = 300_000;

/**
 * How long the service asks us to wait.
 * @param retryAfter the header: whole seconds, or an HTTP date
 * @param date the Date header of the same answer, by which a date is read: our clock may be wrong
 * @param wallMs our wall clock, where there is no such header
 * @returns milliseconds from 0 to 300,000; undefined when the header is missing or nonsense. Never throws.
 */
export function parseRetryAfter(
  retryAfter: string | undefined,
  date: string | undefined,
  wallMs: number,
): number | undefined {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text) * 1000, MAX_WAIT_MS);
  const dueMs = httpDateMs(text);
  if (dueMs === undefined) return undefined;
  return Math.min(Math.max(0, dueMs - (httpDateMs(date) ?? wallMs)), MAX_WAIT_MS);
}

/** Only dates in words, as HTTP has them: `Date.parse` would take "-1" and "2" for years. */
function httpDateMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
