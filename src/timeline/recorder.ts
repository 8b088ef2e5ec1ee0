// Writes what a live session receives, sends and derives as lines of a file. It gets everything before the store does, in the
// same order, so that a replay ends with the same state.
import type { OpenSocket, SocketHandlers } from "../stream/socket.ts";
import type { Clock } from "../units/clock.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import {
  type Entry,
  encodeLine,
  FORMAT_VERSION,
  getAcceptance,
  type RecordingSettings,
} from "./entry.ts";

type Unstamped<E> = E extends unknown ? Omit<E, "t" | "w"> : never;

export interface RecorderOptions {
  readonly clock: Clock;
  /** Takes one line with its line ending. Must not throw. */
  readonly write: (line: string) => void;
  readonly settings: RecordingSettings;
}

/** Writes the heading on creation, then a line for each event. */
export class Recorder {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #redact: (line: string) => string;
  /** A received message whose outcome is not known yet. */
  #received: { readonly message: string; readonly t: number; readonly w: number } | undefined;

  constructor({ clock, write, settings }: RecorderOptions) {
    this.#clock = clock;
    this.#write = write;
    this.#redact = selectRedaction(settings);
    this.#line({ t: clock.now(), w: clock.wall(), recording: FORMAT_VERSION, settings });
  }

  sockets(open: OpenSocket): OpenSocket {
    return (handlers) => {
      const socket = open(this.#recorded(handlers));
      return {
        send: (message) => {
          this.#entry({ out: message });
          socket.send(message);
        },
        ping: () => {
          this.#entry({ wire: "ping" });
          socket.ping();
        },
        terminate: () => socket.terminate(),
      };
    };
  }

  event(event: StreamEvent): void {
    if (event.type !== "update") {
      this.#settle();
      this.#entry({ event }, event.atMs);
      return;
    }
    const update = getAcceptance(event);
    const { message } = event.update;
    const w = this.#clock.wall();
    if (this.#received?.message === message) this.#line({ t: event.atMs, w, in: message, update });
    else this.#line({ t: event.atMs, w, update });
    this.#received = undefined;
  }

  /** State that was corrected by something other than a received frame. */
  made(entries: readonly Entry[]): void {
    this.#settle();
    for (const entry of entries) this.#line(entry);
  }

  pass(nowMs: number): void {
    this.#entry({ pass: true }, nowMs);
  }

  trades(market: string, trades: readonly object[]): void {
    this.#entry({ listing: market, trades });
  }

  obstacle(market: string, obstacle: string): void {
    this.#entry({ listing: market, obstacle });
  }

  shown(nowMs: number): void {
    this.#entry({ shown: true }, nowMs);
  }

  #recorded(handlers: SocketHandlers): SocketHandlers {
    return {
      onOpen: () => {
        this.#entry({ wire: "open" });
        handlers.onOpen();
      },
      onMessage: (message) => {
        this.#received = { message, t: this.#clock.now(), w: this.#clock.wall() };
        handlers.onMessage(message);
        this.#settle();
      },
      onBinary: (length) => {
        this.#entry({ wire: "binary", detail: `${length} bytes` });
        handlers.onBinary(length);
      },
      onPong: () => {
        this.#entry({ wire: "pong" });
        handlers.onPong();
      },
      onEnd: (fault) => {
        this.#entry({ wire: "end", detail: `${fault.code}: ${fault.detail}` });
        handlers.onEnd(fault);
      },
    };
  }

  /** Writes a received message before anything that follows it. */
  #settle(): void {
    if (this.#received === undefined) return;
    const { message, t, w } = this.#received;
    this.#received = undefined;
    this.#line({ t, w, in: message });
  }

  #entry(entry: Unstamped<Entry>, t = this.#clock.now()): void {
    this.#settle();
    this.#line({ t, w: this.#clock.wall(), ...entry } as Entry);
  }

  #line(line: Parameters<typeof encodeLine>[0]): void {
    this.#write(`${this.#redact(encodeLine(line))}\n`);
  }
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Possible addresses, and JSON escapes, whose last letter does not belong to the text after them. */
const TOKEN = /\\+(?:u[0-9a-fA-F]{4}|[bfnrt])|[0-9A-Za-z]{32,}/g;
/** Base58 of 32 to 44 characters that is not a plain number, or 0x and 40 hex digits. */
const ADDRESS = /^(?:0x[0-9a-fA-F]{40}|(?![0-9]+$)[1-9A-HJ-NP-Za-km-z]{32,44})$/;
const HOST = /("(?:ws|base)_url":"[a-z]+:\/\/)[^/"]*/g;

export function selectRedaction({ redacted }: RecordingSettings): (line: string) => string {
  return redacted ? createRedaction() : (line) => line;
}

/** Replaces each address by a substitute of the same format, so that the recording can be shared and still be replayed. */
export function createRedaction(): (line: string) => string {
  const known = new Map<string, string>();
  const substitute = (token: string): string => {
    if (!ADDRESS.test(token)) return token;
    const key = token.startsWith("0x") ? token.toLowerCase() : token;
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const replacement = token.startsWith("0x")
      ? hexStandIn(known.size + 1)
      : base58StandIn(known.size + 1);
    known.set(key, replacement);
    return replacement;
  };
  return (line) => line.replace(HOST, "$1redacted").replace(TOKEN, substitute);
}

function hexStandIn(n: number): string {
  return `0x${n.toString(16).padStart(40, "0")}`;
}

function base58StandIn(n: number): string {
  let digits = "";
  for (let rest = n; rest > 0; rest = Math.floor(rest / 58)) {
    digits = `${BASE58[rest % 58]}${digits}`;
  }
  return `Redacted${digits.padStart(32, "1")}`;
}
