// A process on a pseudo terminal of which everything is read that it writes.
import { closeSync, constants, openSync } from "node:fs";
import { type IPty, spawn } from "@lydell/node-pty";

export interface OpenPty {
  readonly pty: IPty;
  /** Resolves when the process has ended, with what it wrote last read. */
  readonly exit: Promise<{ exitCode: number; signal?: number | undefined }>;
}

/**
 * Starts the process, and keeps its terminal open beyond it: Linux tells the reader of a hang-up before it has handed
 * over what was written last, and node-pty then drops that.
 */
export function openPty(...[file, args, options]: Parameters<typeof spawn>): OpenPty {
  const pty = spawn(file, args, options);
  const { ptsName } = pty as IPty & { readonly ptsName: string };
  const held = openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  const exit = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) =>
    pty.onExit((end) => {
      closeSync(held);
      resolve(end);
    }),
  );
  return { pty, exit };
}
