// The smallest whole program on a terminal: what src/commands makes of it, for tests that start a real process in a pty.
// Its keys: q ends it, t throws, U rejects, z suspends, A aborts, E exits, M takes all memory. It says how it ended
// on its normal screen and exits with a code by it.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { isatty } from "node:tty";
import { Text, useInput } from "ink";
import { useState } from "react";
import { systemClock } from "../../../src/system/system-clock.ts";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { openTerminal, type Terminal } from "../../../src/terminal/open-terminal.tsx";
import type { SessionEnd } from "../../../src/terminal/session/session.ts";
import { guardStdio, openTerminalOutput } from "../../../src/terminal/session/terminal-output.ts";
import { startWatcher } from "../../../src/terminal/session/watcher.ts";

const EXIT_CODES = { closed: 0, signal: 43, lost: 44, failed: 45 } as const;

/** Ends the process as the system or the engine does when no memory is left. */
function exhaustMemory(): void {
  const held: number[][] = [];
  for (;;) held.push(new Array(1_000_000).fill(held.length));
}

const DEATHS: Readonly<Record<string, () => void>> = {
  A: () => process.abort(),
  E: () => process.exit(7),
  M: exhaustMemory,
  U: () => Promise.reject(new Error("rejected by a key")),
};

function App({ terminal }: { readonly terminal: Terminal }) {
  const [keys, setKeys] = useState("");
  useInput((input) => {
    setKeys((last) => last + input);
    if (input === "q") terminal.close();
    if (input === "z") terminal.suspend();
    if (input === "t") throw new Error("thrown by a key");
    DEATHS[input]?.();
  });
  if (keys.endsWith("r")) throw new Error("thrown while rendering");
  return <Text>{`pid=${process.pid} ready keys=${keys}.`}</Text>;
}

const watcher = startWatcher(spawn, process.env.PATH);
await watcher.isReady;
const output = openTerminalOutput(fs, 1);
const releaseStdio = guardStdio(fs, isatty);

openTerminal((terminal) => <App terminal={terminal} />, {
  timer: systemClock,
  process,
  stdin: process.stdin,
  stdout: process.stdout,
  output,
  styles: new StyleTable(),
  mouse: true,
  watcher,
  onEnd(end: SessionEnd) {
    const fact = end.kind === "failed" && end.error instanceof Error ? end.error.message : "";
    try {
      output.writeSync(`ended ${end.kind} ${fact}\r\n`);
    } catch {}
    // Later, as a program that still has something to finish.
    setTimeout(() => {
      releaseStdio();
      process.exit(EXIT_CODES[end.kind]);
    }, 20);
  },
});
