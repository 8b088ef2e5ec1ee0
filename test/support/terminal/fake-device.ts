// What a program on a terminal has of its machine, without one: a process, two streams, and a file that takes bytes or refuses them.
import { EventEmitter } from "node:events";
import type { TerminalFile } from "../../../src/terminal/output.ts";

export function createDevice(columns: number, rows: number) {
  const process = Object.assign(new EventEmitter(), { pid: 1, kill: () => true });
  const stdin = Object.assign(new EventEmitter(), {
    isRaw: false,
    setRawMode(isRaw: boolean) {
      stdin.isRaw = isRaw;
    },
    setEncoding: () => stdin,
    pause() {},
  });
  const stdout = Object.assign(new EventEmitter(), { columns, rows });
  const texts: string[] = [];
  let isTaking = true;
  let refused: (() => void) | undefined;
  const file: TerminalFile = {
    write(bytes, done) {
      const take = () => {
        texts.push(Buffer.from(bytes).toString());
        done(undefined, bytes.length);
      };
      if (isTaking) take();
      else refused = take;
    },
    writeNow: (text) => void texts.push(text),
    close: () => {},
  };
  return {
    ...{ process, stdin, stdout },
    /** As `openTerminal` takes it. */
    streams: {
      ...{ process, file },
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stdout as unknown as NodeJS.WriteStream,
    },
    /** What it has got since it was asked last. */
    written: () => texts.splice(0).join(""),
    refuse() {
      isTaking = false;
    },
    accept() {
      isTaking = true;
      refused?.();
    },
  };
}
