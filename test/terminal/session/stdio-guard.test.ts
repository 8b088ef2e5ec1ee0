// What is done so that Node does not abort at the end of a process whose terminal is gone.
import { expect, test } from "vitest";
import { guardStdio } from "../../../src/terminal/session/terminal-output.ts";
import { systemError } from "../../support/terminal/fake-streams.ts";

function system(terminals: number[]) {
  const calls: string[] = [];
  return {
    calls,
    isTerminal: (fd: number) => terminals.includes(fd),
    closeSync: (fd: number) => calls.push(`close ${fd}`),
    openSync: (path: string, flags: string) => calls.push(`open ${path} ${flags}`),
    lose: () => terminals.splice(0),
  };
}

test("terminals that are gone are replaced, what never was one is left alone", () => {
  const fs = system([0, 2]);
  const release = guardStdio(fs, fs.isTerminal);
  fs.lose();
  release();
  expect(fs.calls).toEqual(["close 0", "open /dev/null r+", "close 2", "open /dev/null r+"]);
});

test("terminals that are still there are left alone", () => {
  const fs = system([0, 1, 2]);
  guardStdio(fs, fs.isTerminal)();
  expect(fs.calls).toEqual([]);
});

test("a stream that cannot be closed is no error", () => {
  const fs = system([1]);
  const release = guardStdio(
    {
      openSync: () => 1,
      closeSync: () => {
        throw systemError("EBADF");
      },
    },
    fs.isTerminal,
  );
  fs.lose();
  expect(release).not.toThrow();
});
