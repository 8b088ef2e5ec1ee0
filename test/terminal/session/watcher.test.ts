import type { SpawnOptions, spawn } from "node:child_process";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { startWatcher } from "../../../src/terminal/session/watcher.ts";

test("the watcher is a shell in a session of its own that gets our PATH and nothing else", () => {
  const started: [string, readonly string[], SpawnOptions][] = [];
  const fakeSpawn = (...call: [string, readonly string[], SpawnOptions]) => {
    started.push(call);
    const pipe = new Socket();
    return { stdin: pipe, stdio: [pipe, null, null, null, pipe], on: () => {}, unref: () => {} };
  };
  startWatcher(fakeSpawn as unknown as typeof spawn, "/bin");
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
  expect(() => watcher.taken()).not.toThrow();
  expect(() => watcher.given()).not.toThrow();
});
