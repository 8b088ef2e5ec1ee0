// Progress and closing lines of an export.
import type { Context } from "../args/context.ts";
import type { Bounds } from "../listing/pager.ts";
import type { Retry } from "../listing/rest-client.ts";
import { cutText } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import { formatAge, formatIsoMs } from "../units/time.ts";
import type { Reached } from "./export.ts";

/** @param complete such as `yes (one page)` */
export function closingLine(reached: Partial<Reached>, complete: string): string {
  const { rows = 0, newestMs, oldestMs, pages = 0 } = reached;
  return [
    counted(rows, "row"),
    `newest ${formatTime(newestMs)}`,
    `oldest ${formatTime(oldestMs)}`,
    counted(pages, "page"),
    `complete: ${complete}`,
  ].join(", ");
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function formatTime(ms: number | undefined): string {
  return ms === undefined ? "-" : formatIsoMs(ms);
}

const SHOW_EVERY_MS = 250;
const DEFAULT_COLUMNS = 80;
/** Carriage return, then erase to the end of the line. */
const OVERWRITE = "\r\u001b[K";

/** One line of standard error, overwritten; nothing where that is no terminal. */
export function showProgress(
  { stderr, clock }: Pick<Context, "stderr" | "clock">,
  { max, sinceMs }: Bounds = {},
) {
  const startedAt = clock.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let first: Reached | undefined;
  // One cell stays free: a line that wraps cannot be overwritten.
  const show = (text: string) => {
    const width = (stderr.columns ?? DEFAULT_COLUMNS) - 1;
    if (stderr.isTTY) stderr.write(`${OVERWRITE}${cutText(visible(text), width)}`);
  };
  return {
    onProgress(reached: Reached): void {
      first ??= reached;
      const now = clock.now();
      if (now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      const { rows, newestMs, oldestMs, pages } = reached;
      const passedMs = Math.max(1, now - startedAt);
      const done = Math.max(
        max === undefined ? 0 : rows / max,
        sinceMs === undefined
          ? 0
          : ((newestMs ?? 0) - (oldestMs ?? 0)) / ((newestMs ?? 0) - sinceMs),
      );
      const left =
        done > 0 && done < 1 ? [`about ${formatAge(passedMs / done - passedMs)} left`] : [];
      const rate = Math.round(((rows - first.rows) * 1000) / passedMs);
      const parts = [`${rows} rows`, ...left, `${rate}/s`, `back to ${formatTime(oldestMs)}`];
      show([...parts, `${pages} pages`].join(", "));
    },
    onRetry({ reason, waitMs }: Retry): void {
      show(`trying again in ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
    },
    end(): void {
      if (stderr.isTTY) stderr.write(OVERWRITE);
    },
  };
}
