// What a user is told before a command begins to record.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { withRecording } from "../../src/commands/recording.ts";
import { createContext } from "../support/create-context.ts";

const WARNING = "monitor: the recording is not masked; --redact replaces the addresses in it\n";

test.each<[words: string, options: Context["options"], told: string | null]>([
  ["--mask --record", { mask: true, record: "/nonexistent/file" }, WARNING],
  ["--mask --record --redact", { mask: true, record: "/nonexistent/file", redact: true }, null],
  ["--record", { record: "/nonexistent/file" }, null],
  ["--mask", { mask: true }, null],
])("%s", async (_, options, told) => {
  const stderr = new PassThrough().setEncoding("utf8");
  const context = createContext({ options, stderr });
  const findService = () => Promise.reject(new Error("no service"));
  const facts = { command: "account" };
  const code = await withRecording(context, options.record, findService, facts, async () => 0);
  expect(code).toBe(0);
  expect(stderr.read()).toBe(told);
});
