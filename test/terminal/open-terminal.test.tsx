// The parts together: the terminal is taken, shown on, given back, and everything stops.
import { Text, useInput } from "ink";
import { useState } from "react";
import { describe, expect, test } from "vitest";
import type { Terminal } from "../../src/terminal/open-terminal.tsx";
import { systemError } from "../support/terminal/fake-streams.ts";
import { HeadlessTerminal } from "../support/terminal/headless-terminal.ts";
import { openOnFakes } from "./opened-terminal.tsx";

function Keys({ terminal }: { readonly terminal: Terminal }) {
  const [keys, setKeys] = useState("");
  useInput((input, key) => {
    if (key.ctrl && input === "z") terminal.suspend();
    else if (key.ctrl && input === "l") terminal.redraw();
    else if (input === "q") terminal.close();
    else setKeys((last) => last + input);
  });
  if (keys.endsWith("!")) throw new Error("bad key");
  return <Text>{`keys: ${keys}`}</Text>;
}

function Broken(): never {
  throw new Error("bad start");
}

async function opened(app = (self: Terminal) => <Keys terminal={self} />) {
  const all = openOnFakes(app, { columns: 30, rows: 4 });
  const { clock, process, stdin, stdout, writer, settle } = all;
  await settle();
  return {
    ...all,
    shown: async () => {
      const terminal = new HeadlessTerminal(30, 4);
      await terminal.write(writer.take());
      return terminal.text();
    },
    expectAllStopped() {
      expect(clock.pending).toBe(0);
      expect(process.eventNames()).toEqual([]);
      expect(stdout.listenerCount("resize")).toBe(0);
      expect(stdin.listenerCount("readable")).toBe(0);
      expect(stdin.isRaw).toBe(false);
    },
  };
}

describe("a terminal", () => {
  test("is entered before the first frame, and shows the app", async () => {
    const { stdin, writer, terminal, shown } = await opened();
    expect(writer.chunks[0]?.toString()).toContain("\u001b[?1049h");
    expect((await shown())[0]).toBe("keys:");
    expect(stdin.isRaw).toBe(true);
    expect(terminal.statistics.frames).toBe(1);
    terminal.close();
  });

  test("is given back by a key, after which nothing is written or waited for", async () => {
    const { stdin, writer, ends, settle, expectAllStopped } = await opened();
    stdin.type("q");
    expect(ends).toEqual([{ kind: "closed" }]);
    expect(writer.take().toString().endsWith("\u001b[?1049l")).toBe(true);
    await settle();
    expect(writer.chunks).toEqual([]);
    expectAllStopped();
  });

  test("is given back when the app throws, with its error", async () => {
    const { stdin, writer, ends, settle, expectAllStopped } = await opened();
    stdin.type("!");
    await settle();
    expect(ends).toMatchObject([{ kind: "failed", error: { message: "bad key" } }]);
    expect(writer.take().toString().endsWith("\u001b[?1049l")).toBe(true);
    expectAllStopped();
  });

  test("is given back when the app throws at once, before there is anything to take down", async () => {
    const { ends, expectAllStopped } = await opened(() => <Broken />);
    expect(ends).toMatchObject([{ kind: "failed", error: { message: "bad start" } }]);
    expectAllStopped();
  });

  test("is given back when it takes no more output", async () => {
    const { stdin, writer, ends, settle, expectAllStopped } = await opened();
    writer.failWith = systemError("EIO");
    for (const key of "xy") {
      stdin.type(key);
      await settle();
    }
    expect(ends).toEqual([{ kind: "lost", cause: writer.failWith }]);
    expectAllStopped();
  });

  test("is given back for a signal, in the middle of a frame that is still on its way", async () => {
    const { process, stdin, writer, ends, settle, expectAllStopped } = await opened();
    writer.isSlow = true;
    stdin.type("x");
    await settle();
    process.emit("SIGTERM");
    writer.answer();
    await settle();
    expect(ends).toEqual([{ kind: "signal", signal: "SIGTERM" }]);
    expect(writer.take().toString().endsWith("\u001b[?1049l")).toBe(true);
    expectAllStopped();
  });

  test("is left for the shell and drawn anew when it comes back, in the size that it then has", async () => {
    const { process, stdin, stdout, writer, terminal, settle, shown } = await opened();
    await shown();
    process.onKill = (_, signal) => {
      if (signal !== "SIGTSTP") return;
      expect(stdin.isRaw).toBe(false);
      expect(writer.take().toString().endsWith("\u001b[?1049l")).toBe(true);
      stdout.columns = 20;
    };
    stdin.type("\u001a");
    await settle();
    expect(stdin.isRaw).toBe(true);
    expect((await shown())[0]).toBe("keys:");
    terminal.close();
  });

  test("does not wait for a frame that was on its way when it was left", async () => {
    const { stdin, writer, terminal, settle, shown } = await opened();
    await shown();
    writer.isSlow = true;
    stdin.type("x");
    await settle();
    stdin.type("\u001a");
    writer.isSlow = false;
    await settle();
    expect((await shown())[0]).toBe("keys: x");
    terminal.close();
  });

  test("is drawn anew on request", async () => {
    const { stdin, writer, terminal, settle, shown } = await opened();
    writer.take();
    stdin.type("\u000c");
    await settle();
    expect(writer.chunks.length).toBe(1);
    expect((await shown())[0]).toBe("keys:");
    terminal.close();
  });
});
