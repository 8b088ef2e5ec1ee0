// Plain Ink on standard error while a command works; nothing of it stays.
import type { ReactElement } from "react";
import type { Reached } from "../export/export.ts";
import type { Bounds } from "../listing/pager.ts";
import type { Retry } from "../listing/rest-client.ts";
import type { Context } from "./context.ts";

export interface PlainInk {
  show(view: ReactElement): void;
  end(): void;
}

/** Loads Ink; undefined where standard error is no terminal. */
export async function openInk({ stderr }: Pick<Context, "stderr">): Promise<PlainInk | undefined> {
  if (!stderr.isTTY) return undefined;
  const { render } = await import("ink");
  let ink: ReturnType<typeof render> | undefined;
  return {
    show(view) {
      if (ink !== undefined) ink.rerender(view);
      // Standard output is for what was asked for.
      const stdout = stderr as NodeJS.WriteStream;
      ink ??= render(view, { stdout, exitOnCtrlC: false, patchConsole: false });
    },
    end() {
      ink?.clear();
      ink?.unmount();
    },
  };
}

const SHOW_EVERY_MS = 250;

/** How far a listing has been read. */
export async function showProgress(
  context: Pick<Context, "stderr" | "clock">,
  bounds: Bounds = {},
) {
  const { clock } = context;
  const ink = await openInk(context);
  if (ink === undefined) return { onProgress: () => {}, onRetry: () => {}, end: () => {} };
  const { createElement } = await import("react");
  const { ExportProgress } = await import("../export/progress.tsx");
  const startedAtMs = clock.now();
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let begun: Reached | undefined;
  let reached: Reached | undefined;
  const onRetry = (retry: Retry | undefined) => {
    if (begun === undefined || reached === undefined) return;
    shownAtMs = clock.now();
    const passedMs = shownAtMs - startedAtMs;
    ink.show(createElement(ExportProgress, { reached, begun, bounds, passedMs, retry }));
  };
  const onProgress = (now: Reached) => {
    begun ??= now;
    reached = now;
    if (clock.now() - shownAtMs >= SHOW_EVERY_MS) onRetry(undefined);
  };
  return { onProgress, onRetry, end: ink.end };
}
