// Writing to a descriptor: an opening of our own that does not wait, or the thread pool where there is none.
import { describe, expect, test } from "vitest";
import {
  type FileSystem,
  openTerminalOutput,
} from "../../../src/terminal/session/terminal-output.ts";
import { systemError } from "../../support/terminal/fake-streams.ts";

const OWN_FD = 33;

/** A file system on which writes take what is listed: a number of bytes, or an error. */
function fakeFs(answers: (number | string)[], { canReopen = true } = {}) {
  const calls: string[] = [];
  const fs: FileSystem = {
    constants: { O_WRONLY: 1, O_NONBLOCK: 2048, O_NOCTTY: 256 },
    openSync(path, flags) {
      calls.push(`open ${path} ${flags}`);
      if (!canReopen) throw systemError("ENOENT");
      return OWN_FD;
    },
    closeSync: (fd) => {
      calls.push(`close ${fd}`);
    },
    writeSync(fd, bytes) {
      const answer = answers.shift() ?? bytes.length;
      calls.push(`write ${fd} ${Buffer.from(bytes)}`);
      if (typeof answer === "string") throw systemError(answer);
      return answer;
    },
    write(fd, bytes, done) {
      calls.push(`pool ${fd} ${Buffer.from(bytes)}`);
      done(null, bytes.length);
    },
  };
  return { fs, calls };
}

describe("an output", () => {
  test("opens the terminal anew so that it does not wait, and closes what it opened", () => {
    const { fs, calls } = fakeFs([3]);
    const output = openTerminalOutput(fs, 1);
    output.write(Buffer.from("frame"), (error, written) => calls.push(`${error} ${written}`));
    output.close();
    expect(calls).toEqual(["open /proc/self/fd/1 2305", "write 33 frame", "null 3", "close 33"]);
  });

  test("reports why a write was refused", () => {
    const { fs } = fakeFs(["EAGAIN"]);
    const seen: unknown[] = [];
    openTerminalOutput(fs, 1).write(Buffer.from("x"), (error, written) => {
      seen.push(error?.code, written);
    });
    expect(seen).toEqual(["EAGAIN", 0]);
  });

  test("uses the thread pool where the terminal cannot be opened again", () => {
    const { fs, calls } = fakeFs([], { canReopen: false });
    const output = openTerminalOutput(fs, 1);
    output.write(Buffer.from("frame"), () => {});
    output.writeSync("end");
    output.close();
    expect(calls.slice(1)).toEqual(["pool 1 frame", "write 1 end"]);
  });

  test("writes its last words in parts and waits for a busy terminal", () => {
    const { fs, calls } = fakeFs([2, "EAGAIN", 1, "EAGAIN"]);
    openTerminalOutput(fs, 1).writeSync("abcde");
    const words = calls.slice(1).map((call) => call.replace("write 33 ", ""));
    expect(words).toEqual(["abcde", "cde", "cde", "de", "de"]);
  });

  test("does not wait for ever, and not at all for a terminal that is gone", () => {
    expect(() => openTerminalOutput(fakeFs(["EIO"]).fs, 1).writeSync("x")).toThrow("EIO");
    const { fs, calls } = fakeFs(Array.from({ length: 100 }, () => "EAGAIN"));
    expect(() => openTerminalOutput(fs, 1).writeSync("x")).toThrow("EAGAIN");
    expect(calls.length).toBe(52);
  });
});
