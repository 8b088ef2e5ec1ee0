// The dashboard on our screen: a canvas in each pane, mounted in React, scheduled by the frame clock, sent by the writer.
import { EventEmitter } from "node:events";
import { Box } from "ink";
import { createElement } from "react";
import type { Surface } from "../../../src/terminal/cells/surface.ts";
import { mount } from "../../../src/terminal/open-terminal.tsx";
import { Canvas } from "../../../src/terminal/screen/Canvas.tsx";
import { FRAME_COUNT, type Pane, styles, type Way } from "./dashboard-panes.ts";

/** Mounts it; each frame is drawn on request. */
export async function createOurs(
  columns: number,
  rows: number,
  panes: readonly Pane[],
): Promise<Way> {
  let index = 0;
  let written = 0;
  let due: (() => void) | undefined;
  const changed = new Set<() => void>();
  const source = (onChange: () => void) => {
    changed.add(onChange);
    return () => changed.delete(onChange);
  };
  const canvases = panes.map((pane, key) => {
    const paint = (surface: Surface) => {
      for (const { x, y, text, style } of pane.frames[index % FRAME_COUNT] ?? []) {
        surface.text(x, y, text, style);
      }
    };
    const look = { borderStyle: "round", borderColor: "gray", flexShrink: 0 } as const;
    const size = { width: pane.width + 2, height: pane.height + 2 };
    return createElement(Canvas, { key, paint, source, ...look, ...size });
  });
  const schedule = (callback: () => void) => {
    due = callback;
    return () => {};
  };
  mount(createElement(Box, { flexWrap: "wrap", width: columns, height: rows }, canvases), {
    stdin: Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.ReadStream,
    size: Object.assign(new EventEmitter(), { columns, rows }),
    write(bytes, done) {
      written += bytes.length;
      done(null, bytes.length);
    },
    // Timers are run by the bench, which sets the pace.
    timer: {
      now: () => performance.now(),
      after: (_, callback) => schedule(callback),
      soon: schedule,
      next: schedule,
    },
    styles,
    onFailure: console.error,
    onLost: console.error,
    onExit: console.error,
  });
  const flush = () => {
    const run = due;
    due = undefined;
    written = 0;
    run?.();
    return written;
  };
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  const firstPaint = flush();
  const frame = (next: number) => {
    index = next;
    for (const onChange of changed) onChange();
    return flush();
  };
  return { frame, firstPaint };
}
