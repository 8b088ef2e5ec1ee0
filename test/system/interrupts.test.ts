// What ends the program from outside, and what does not.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { watchInterrupts } from "../../src/system/interrupts.ts";

function watch(terminal: () => "none" | "there" | "gone" = () => "there") {
  const streams = { stdout: new EventEmitter(), stderr: new EventEmitter() };
  const process = Object.assign(new EventEmitter(), streams);
  const failures: Error[] = [];
  const { interrupt, onHangup } = watchInterrupts(process, {
    terminal,
    onFailure: (error) => failures.push(error),
    onFault: (error) => failures.push(error as Error),
  });
  return { ...streams, process, interrupt, onHangup, failures };
}

const brokenPipe = () => Object.assign(new Error("write EPIPE"), { code: "EPIPE" });

test("who reads no rows any more has had what was wanted: the program ends, without a failure", () => {
  const { stdout, interrupt, failures } = watch();
  stdout.emit("error", brokenPipe());
  expect([interrupt.reason, failures]).toEqual(["closed-stdout", []]);
});

test("who reads no messages any more ends nothing: they are lost, and what they are about goes on", () => {
  const { stderr, interrupt, failures } = watch();
  for (let message = 0; message < 3; message++) stderr.emit("error", brokenPipe());
  expect([interrupt.aborted, failures]).toEqual([false, []]);
});

test("SIGHUP ends it, but for a command that has another use for it", () => {
  const { process, interrupt, onHangup } = watch();
  let hangups = 0;
  const stop = onHangup(() => hangups++);
  for (let i = 0; i < 2; i++) process.emit("SIGHUP");
  expect([hangups, interrupt.aborted]).toEqual([2, false]);
  stop();
  process.emit("SIGHUP");
  expect([hangups, interrupt.reason]).toEqual([2, "SIGHUP"]);
});

test("SIGHUP ends every command when the terminal is gone, and none that never had one", () => {
  const gone = watch(() => "gone");
  gone.onHangup(() => {});
  gone.process.emit("SIGHUP");
  expect(gone.interrupt.reason).toBe("SIGHUP");
  const none = watch(() => "none");
  none.process.emit("SIGHUP");
  expect(none.interrupt.aborted).toBe(false);
});
