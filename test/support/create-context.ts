import { PassThrough } from "node:stream";
import type { Context } from "../../src/cli/context.ts";
import { createVirtualClock } from "./virtual-clock.ts";

/** What a command runs in, without options, environment or time; its outputs give text. */
export const createContext = (part: Partial<Context> = {}): Context => ({
  args: [],
  options: {},
  env: {},
  clock: createVirtualClock(),
  random: () => 0,
  interrupt: new AbortController().signal,
  onHangup: () => () => {},
  stdin: new PassThrough(),
  stdout: new PassThrough().setEncoding("utf8"),
  stderr: new PassThrough().setEncoding("utf8"),
  ...part,
});
