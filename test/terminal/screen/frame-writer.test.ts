// Frames on their way to the terminal: in parts, refused for a while, or for good.
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { FrameWriter, type WriteBytes } from "../../../src/terminal/screen/frame-writer.ts";
import { systemError } from "../../support/terminal/fake-streams.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

let timer: VirtualClock;
let events: string[];
let taken: Buffer[];

beforeEach(() => {
  timer = createVirtualClock();
  events = [];
  taken = [];
});

function writerOn(write: WriteBytes): FrameWriter {
  return new FrameWriter({
    write,
    timer,
    onReady: () => events.push("ready"),
    onError: (error) => events.push(`error ${error.code}`),
  });
}

/** Takes as many bytes of each write as is listed; 0 refuses with EAGAIN. Everything after its end. */
function takingParts(parts: readonly number[]): WriteBytes {
  const left = [...parts];
  return (bytes, done) => {
    const count = Math.min(bytes.length, left.shift() ?? bytes.length);
    taken.push(Buffer.from(bytes.subarray(0, count)));
    if (count === 0) done(systemError("EAGAIN"), 0);
    else done(null, count);
  };
}

describe("a frame writer", () => {
  test("sends every byte in order, whatever parts the terminal takes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        fc.array(fc.nat({ max: 20 }), { maxLength: 12 }),
        (bytes, parts) => {
          taken = [];
          events = [];
          writerOn(takingParts(parts)).send(bytes);
          timer.advance(10_000);
          expect([...Buffer.concat(taken)]).toEqual([...bytes]);
          expect(events).toEqual(["ready"]);
          expect(timer.pending).toBe(0);
        },
      ),
    );
  });

  test("waits longer each time that a busy terminal refuses, up to a limit", () => {
    const triedAt: number[] = [];
    const writer = writerOn((_, done) => {
      triedAt.push(timer.now());
      done(systemError("EAGAIN"), 0);
    });
    writer.send(Buffer.from("frame"));
    timer.advance(200);
    expect(triedAt).toEqual([0, 2, 6, 14, 30, 62, 94, 126, 158, 190]);
    expect(writer.isReady).toBe(false);
  });

  test("tries again when nothing was taken without an error", () => {
    let tries = 0;
    const writer = writerOn((bytes, done) => done(null, tries++ === 0 ? 0 : bytes.length));
    writer.send(Buffer.from("frame"));
    timer.advance(2);
    expect([tries, writer.isReady]).toEqual([2, true]);
  });

  test.each(["EPIPE", "EIO", "EBADF"])("reports %s once, and writes nothing after it", (code) => {
    let writes = 0;
    const writer = writerOn((_, done) => {
      writes++;
      done(systemError(code), 0);
      done(systemError(code), 0);
    });
    writer.send(Buffer.from("frame"));
    timer.advance(1000);
    expect(events).toEqual([`error ${code}`]);
    expect([writes, writer.isReady, timer.pending]).toEqual([1, false, 0]);
  });

  test("is ready again at once after a frame was abandoned, and ignores the late answer", () => {
    let answer = () => {};
    const writer = writerOn((bytes, done) => {
      answer = () => done(null, bytes.length);
    });
    writer.send(Buffer.from("frame"));
    writer.abandon();
    expect(writer.isReady).toBe(true);
    answer();
    expect(events).toEqual([]);
  });

  test("has nothing pending after its end", () => {
    const writer = writerOn((_, done) => done(systemError("EAGAIN"), 0));
    writer.send(Buffer.from("frame"));
    writer.close();
    expect([timer.pending, writer.isReady]).toEqual([0, false]);
  });
});
