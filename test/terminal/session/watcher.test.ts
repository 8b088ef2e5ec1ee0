import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type Spawn, startWatcher } from "../../../src/terminal/session/watcher.ts";

test("the watcher is a shell in a session of its own that gets our PATH and nothing else", () => {
  const started: Parameters<Spawn>[] = [];
  const spawn: Spawn = (...call) => {
    started.push(call);
    const pipe = new PassThrough();
    return { stdin: pipe, stdio: [pipe, null, null, null, pipe], on: () => {}, unref: () => {} };
  };
  startWatcher(spawn, "/bin");
  const [command, , options] = started[0] ?? [];
  expect(command).toBe("/bin/sh");
  expect(options).toMatchObject({ detached: true });
  expect(options?.env).toEqual({ PATH: "/bin" });
});

test("where nothing can be started, nobody watches, and nobody is waited for", async () => {
  const watcher = startWatcher(() => {
    throw new Error("EAGAIN");
  }, "/bin");
  await watcher.isReady;
  watcher.taken();
  watcher.given();
});
