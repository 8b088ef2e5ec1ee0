// The program's terminal with an app in it, on streams and a process that a test plays.
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { openTerminal } from "../../src/terminal/open-terminal.tsx";
import type { SessionEnd } from "../../src/terminal/session/session.ts";
import { FakeProcess } from "../support/terminal/fake-process.ts";
import { FakeStdin, FakeStdout, RecordingWriter } from "../support/terminal/fake-streams.ts";
import { reactIsIdle } from "../support/terminal/mounted-app.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export function openOnFakes(
  app: Parameters<typeof openTerminal>[0],
  { columns, rows }: { columns: number; rows: number },
) {
  const clock = createVirtualClock();
  const process = new FakeProcess();
  const stdin = new FakeStdin();
  const stdout = new FakeStdout(columns, rows);
  const writer = new RecordingWriter();
  const ends: SessionEnd[] = [];
  const terminal = openTerminal(app, {
    timer: clock,
    process,
    stdin: stdin.asStream,
    stdout,
    output: { write: writer.write, writeSync: (text) => writer.chunks.push(Buffer.from(text)) },
    styles: new StyleTable(),
    mouse: true,
    onEnd: (end) => ends.push(end),
  });
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) {
      await reactIsIdle();
      clock.advance(20);
    }
  };
  return { clock, process, stdin, stdout, writer, ends, terminal, settle };
}
