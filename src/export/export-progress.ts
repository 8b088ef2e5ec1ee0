// How an export shows on the terminal how far it is: one line that is written over.

import type { Context } from "../args/context.ts";
import type { Bounds } from "../listing/paging/bounds.ts";
import type { Retry } from "../listing/rest/rest-client.ts";
import { cutText } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import type { ExportProgress } from "./export-run.ts";
import { progressLine } from "./words.ts";

const SHOW_EVERY_MS = 250;
const USUAL_COLUMNS = 80;
/** Carriage return, and erase to the end of the line. */
const OVERWRITE = "\r\u001b[K";

/** The line, for as long as the export runs. Never throws. */
export interface ProgressShown {
  /** An earlier run has proven so many rows; said in a line that stays. */
  onResume(rows: number): void;
  onProgress(progress: ExportProgress): void;
  onRetry(retry: Retry): void;
  /** Removes the line, so that others can follow. */
  end(): void;
}

/** Shows nothing where stderr is no terminal. Never throws. */
export function showProgress(
  { stderr, clock }: Pick<Context, "stderr" | "clock">,
  { max, sinceMs }: Bounds,
): ProgressShown {
  const startedAt = clock.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let recordsBefore: number | undefined;
  let retries = 0;
  /** A cell is left free: a line that wraps cannot be written over. */
  const width = () => (stderr.columns ?? USUAL_COLUMNS) - 1;
  const show = (text: string) => {
    if (stderr.isTTY) stderr.write(`${OVERWRITE}${cutText(visible(text), width())}`);
  };
  return {
    onResume(rows) {
      const text = `monitor: going on after ${rows} rows that an earlier run has proven`;
      if (stderr.isTTY) stderr.write(`${OVERWRITE}${text}\n`);
    },
    onProgress(progress) {
      recordsBefore ??= progress.records;
      const now = clock.now();
      if (!progress.isSecondPass && now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      const elapsedMs = now - startedAt;
      const facts = { elapsedMs, recordsBefore, retries, max, sinceMs };
      show(progressLine(progress, facts, width()));
    },
    onRetry({ count, reason, waitMs }) {
      retries = count;
      show(`trying again in ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
    },
    end() {
      if (stderr.isTTY) stderr.write(OVERWRITE);
    },
  };
}
