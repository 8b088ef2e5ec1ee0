// How an export shows on the terminal how far it is: one line that is written over.
import type { ExportProgress } from "../export/export-run.ts";
import { progressLine } from "../export/words.ts";
import type { Bounds } from "../history/paging/bounds.ts";
import type { Retry } from "../history/rest/rest-client.ts";
import { visible } from "../terminal/visible.ts";
import type { Context } from "./context.ts";

const SHOW_EVERY_MS = 250;
/** Carriage return, and erase to the end of the line. */
const OVERWRITE = "\r\u001b[K";

export interface ProgressShown {
  onProgress(progress: ExportProgress): void;
  onRetry(retry: Retry): void;
  /** Removes the line, so that others can follow. */
  end(): void;
}

/** Shows nothing where stderr is no terminal. */
export function showProgress(
  { stderr, clock }: Pick<Context, "stderr" | "clock">,
  { max, sinceMs }: Bounds,
): ProgressShown {
  const startedAt = clock.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let recordsBefore: number | undefined;
  let retries = 0;
  const show = (text: string) => {
    if (stderr.isTTY) stderr.write(`${OVERWRITE}${visible(text)}`);
  };
  return {
    onProgress(progress) {
      recordsBefore ??= progress.records;
      const now = clock.now();
      if (!progress.isSecondPass && now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      const elapsedMs = now - startedAt;
      show(progressLine(progress, { elapsedMs, recordsBefore, retries, max, sinceMs }));
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
