import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dial } from "../../src/stream/dial.ts";
import type { Socket, SocketHandlers } from "../../src/stream/socket.ts";

/** Opens sockets that do what the test says. */
function createLine() {
  const opened: SocketHandlers[] = [];
  const sent: string[] = [];
  const openSocket = (handlers: SocketHandlers): Socket => {
    const number = opened.push(handlers);
    return {
      send: (message) => sent.push(`${number}: ${message}`),
      ping: () => sent.push(`${number}: ping`),
      terminate: () => sent.push(`${number}: terminate`),
    };
  };
  return { opened, sent, openSocket };
}

function createTaker() {
  const received: string[] = [];
  const handlers: SocketHandlers = {
    onOpen: () => received.push("open"),
    onMessage: (message) => received.push(message),
    onBinary: (length) => received.push(`binary ${length}`),
    onPong: () => received.push("pong"),
    onEnd: ({ code }) => received.push(`end ${code}`),
  };
  return { received, handlers };
}

const CALLS: readonly ((handlers: SocketHandlers) => void)[] = [
  (handlers) => handlers.onOpen(),
  (handlers) => handlers.onMessage("hello"),
  (handlers) => handlers.onBinary(3),
  (handlers) => handlers.onPong(),
  (handlers) => handlers.onEnd({ code: "refused", detail: "" }),
];

describe("a connection that is dialled early", () => {
  test("brings the same in the same order, whenever it is taken", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...CALLS), { maxLength: 12 }),
        fc.nat({ max: 12 }),
        async (calls, takenAfter) => {
          const line = createLine();
          const dialled = dial(line.openSocket);
          const { received, handlers } = createTaker();
          const early = createTaker();
          const take = calls.length < takenAfter ? calls.length : takenAfter;
          const happen = async (some: typeof calls) => {
            for (const call of some) {
              call(line.opened[0] as SocketHandlers);
              call(early.handlers);
              await Promise.resolve();
            }
          };
          await happen(calls.slice(0, take));
          expect(received).toEqual([]);
          dialled.openSocket(handlers);
          expect(received).toEqual([]);
          await Promise.resolve();
          await happen(calls.slice(take));
          expect(received).toEqual(early.received);
        },
      ),
    );
  });

  test("is the first connection only: after it, each attempt is one of its own", () => {
    const line = createLine();
    const dialled = dial(line.openSocket);
    dialled.openSocket(createTaker().handlers).send("first");
    dialled.openSocket(createTaker().handlers).send("second");
    expect(line.sent).toEqual(["1: first", "2: second"]);
  });

  test("is ended where nobody has taken it, and left alone where somebody has", () => {
    const line = createLine();
    dial(line.openSocket).close();
    const taken = dial(line.openSocket);
    taken.openSocket(createTaker().handlers);
    taken.close();
    expect(line.sent).toEqual(["1: terminate"]);
  });
});
