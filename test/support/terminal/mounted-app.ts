// An app mounted on a headless terminal, with a clock that the test moves.
import type { ReactNode } from "react";
import { onTestFinished } from "vitest";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { mount } from "../../../src/terminal/open-terminal.tsx";
import { createVirtualClock, type VirtualClock } from "../virtual-clock.ts";
import { FakeStdin, FakeStdout, RecordingWriter } from "./fake-streams.ts";
import { HeadlessTerminal } from "./headless-terminal.ts";

const FRAME_MS = 17;

export interface AppOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly styles?: StyleTable;
  readonly isTTY?: boolean;
  readonly isAscii?: boolean;
  /** That of the test where something else follows it, too. */
  readonly clock?: VirtualClock;
  /** It is not unmounted with the test that has mounted it. */
  readonly isShared?: boolean;
}

export type MountedApp = ReturnType<typeof mountApp>;

export function mountApp(
  app: ReactNode,
  {
    columns = 40,
    rows = 10,
    styles = new StyleTable(),
    isTTY,
    isAscii,
    clock = createVirtualClock(),
    isShared = false,
  }: AppOptions = {},
) {
  const stdin = new FakeStdin({ isTTY: isTTY ?? true });
  const stdout = new FakeStdout(columns, rows);
  const writer = new RecordingWriter();
  /** Errors and exits, in order. */
  const reports: { readonly kind: string; readonly cause: unknown }[] = [];
  const terminal = new HeadlessTerminal(Math.max(2, columns), Math.max(1, rows));
  const mounted = mount(app, {
    timer: clock,
    size: stdout,
    stdin: stdin.asStream,
    write: writer.write,
    styles,
    isAscii,
    onFailure: (cause) => reports.push({ kind: "failure", cause }),
    onLost: (cause) => reports.push({ kind: "lost", cause }),
    onExit: (cause) => reports.push({ kind: "exit", cause }),
  });
  if (!isShared) onTestFinished(() => mounted.unmount());
  /** Lets React finish, then lets a frame period pass; again until nothing more is written. */
  const settle = async () => {
    for (let last = -1; last !== writer.chunks.length; ) {
      last = writer.chunks.length;
      await reactIsIdle();
      clock.advance(FRAME_MS);
      await reactIsIdle();
      clock.advance(FRAME_MS);
    }
  };
  /** Settles, and feeds what was written to a terminal of its own. */
  const shown = async () => {
    await settle();
    await terminal.write(writer.take());
    return terminal;
  };
  return { clock, stdin, stdout, writer, mounted, styles, reports, settle, shown };
}

/** React works in turns of the event loop: a render, then its effects, then what they changed. */
export async function reactIsIdle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}
