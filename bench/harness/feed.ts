// Frames of one market at any rate: bodies are made once, heads with sequences as they are sent.
import { Traffic } from "./traffic.ts";

/** Content of a connection: one kind of frame, or the mix of a busy market. */
export type FeedKind = "bbo" | "book" | "busy";

export const CHANNEL_OF: Readonly<Record<FeedKind, readonly string[]>> = {
  bbo: ["bbo/perp/1"],
  book: ["orderbook/perp/1"],
  busy: ["bbo/perp/1", "orderbook/perp/1", "trades/perp/1", "candles/perp/1/1m"],
};

const BODIES = 500;
const START_NS = 1_763_700_000_000_000_000n;

interface Body {
  readonly channel: string;
  readonly isChained: boolean;
  /** What follows the sequences; split where the time of a trade is inserted, which is that of its frame. */
  readonly parts: readonly string[];
}

/** Repeated bodies get new trade times: old trades would count as duplicates. */
const TRADE_TIME = /(?<="timestamp_ns":")[0-9]+(?=")/;

/** The frames of one connection, in order. */
export class Feed {
  readonly #bodies: readonly Body[];
  readonly #sequences = new Map<string, number>();
  #sent = 0;

  constructor(kind: FeedKind, seed = 5) {
    const traffic = new Traffic(seed);
    const makers: Readonly<Record<FeedKind, readonly (() => string)[]>> = {
      bbo: [() => traffic.move().bbo()],
      book: [() => traffic.move().book(100)],
      busy: [
        () => traffic.move().book(10),
        () => traffic.bbo(),
        () => traffic.trades(2),
        () => traffic.bbo(),
        () => traffic.candles(),
        () => traffic.bbo(),
        () => traffic.trades(1),
        () => traffic.bbo(),
      ],
    };
    const turns = makers[kind];
    this.#bodies = Array.from({ length: BODIES * turns.length }, (_, i) =>
      bodyOf((turns[i % turns.length] ?? traffic.bbo)()),
    );
  }

  next(): string {
    const body = this.#bodies[this.#sent % this.#bodies.length];
    if (body === undefined) throw new Error("no bodies");
    this.#sent++;
    const timestampNs = START_NS + BigInt(this.#sent) * 100_000n;
    const text = body.parts.join(`${timestampNs}`);
    const head = `{"type":"update","channel":"${body.channel}","timestamp_ns":"${timestampNs}",`;
    if (!body.isChained) return head + text;
    const previous = this.#sequences.get(body.channel);
    this.#sequences.set(body.channel, this.#sent);
    const link = previous === undefined ? "null" : `"${previous}"`;
    return `${head}"previous_sequence":${link},"sequence":"${this.#sent}",${text}`;
  }
}

function bodyOf(frame: string): Body {
  const { type, channel, timestamp_ns, previous_sequence, sequence, ...rest } = JSON.parse(frame);
  const parts = JSON.stringify(rest).slice(1).split(TRADE_TIME);
  return { channel, isChained: sequence !== undefined, parts };
}
