// A live session against a composed service, on one virtual clock. What the service sends on the watched connection
// arrives at once, so that what is shown can be compared with what is there; later connections may be slower.
import { openSession, type Session } from "../../src/live/session.ts";
import type { OpenSocket, SocketHandlers } from "../../src/stream/socket.ts";
import { createRandom } from "../../src/units/random.ts";
import type { ComposedStream } from "../adversary/compose-stream.ts";
import type { ClientSide } from "../adversary/stream-service.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** What is passed between two looks at it. */
export const STEP_MS = 250;

/** An answer to an answer to a command, and some more. */
const MAX_ROUNDS = 100;

export interface ComposedSession extends Session {
  readonly clock: VirtualClock;
  /** False while the watched connection gives no sign although it stands: nobody can know what is there. */
  readonly isHeard: boolean;
  /** Connections that were opened. */
  readonly connections: number;
  step(): void;
}

/** @param seed of the client's own chance, and of how slow each later connection is */
export function openComposed({ service }: ComposedStream, seed: number): ComposedSession {
  const clock = createVirtualClock(service.startMs);
  const random = createRandom(seed);
  const wire = new Wire(clock);
  const open = (delayMs: () => number, onOpen: (client: ClientSide) => void): OpenSocket => {
    return (handlers) => {
      const end = wire.end(handlers, delayMs());
      const client = service.open({
        send: (text) => end.deliver(() => handlers.onMessage(text)),
        close: (code, reason) => end.close(`${code} ${reason}`),
      });
      onOpen(client);
      return {
        send: (text) => end.isOver || client.receive(text),
        ping: () => {
          if (!end.isOver && client.ping()) end.deliver(() => handlers.onPong());
        },
        terminate: () => {
          end.drop();
          client.end();
        },
      };
    };
  };
  let watched: ClientSide | undefined;
  let connections = 0;
  const live = openSession({
    openSocket: open(
      () => 0,
      (client) => {
        connections++;
        watched = client;
      },
    ),
    auditSocket: open(
      () => Math.floor(random() * 4) * 100,
      () => connections++,
    ),
    clock,
    random,
  });
  return {
    ...live,
    clock,
    get isHeard() {
      return live.stream.link.state !== "open" || watched?.ping() === true;
    },
    get connections() {
      return connections;
    },
    step() {
      clock.advance(STEP_MS);
      service.advance(service.startMs + clock.now());
      wire.flush();
    },
  };
}

interface End {
  isOver: boolean;
  deliver(callback: () => void): void;
  /** Nothing is delivered any more. */
  drop(): void;
  close(detail: string): void;
}

/** Keeps the order of what is delivered on each connection; nothing is delivered inside of a call of the client's. */
class Wire {
  readonly #clock: VirtualClock;
  #ready: (() => void)[] = [];

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  end(handlers: SocketHandlers, delayMs: number): End {
    const cancels = new Set<() => void>();
    const deliver = (callback: () => void) => {
      const run = () => end.isOver || callback();
      if (delayMs === 0) this.#ready.push(run);
      else {
        const cancel = this.#clock.after(delayMs, () => {
          cancels.delete(cancel);
          run();
        });
        cancels.add(cancel);
      }
    };
    const end: End = {
      isOver: false,
      deliver,
      drop() {
        end.isOver = true;
        for (const cancel of cancels) cancel();
      },
      close: (detail) =>
        deliver(() => {
          end.isOver = true;
          handlers.onEnd({ code: "closed", detail });
        }),
    };
    deliver(() => handlers.onOpen());
    return end;
  }

  flush(): void {
    for (let round = 0; this.#ready.length > 0; round++) {
      if (round > MAX_ROUNDS) throw new Error("client and service answer each other for ever");
      const ready = this.#ready;
      this.#ready = [];
      for (const run of ready) run();
    }
  }
}
