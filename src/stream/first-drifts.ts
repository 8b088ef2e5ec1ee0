// What messages have that the document does not list: counted each time, told in full the first time.
import type { Decoder, Received } from "../wire/decode.ts";
import type { Drift } from "../wire/rejection.ts";

/** Remembers of which kinds an example has been told, for one stream. */
export class FirstDrifts {
  readonly #decoder: Decoder;
  /** Kinds of messages of which a first example has been given. */
  readonly #kinds = new Set<string>();

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** Where a message drifts, and how: the latter for the first of its kind only. Never throws. */
  of(received: Received): { channel: string | undefined; drifts: readonly Drift[] } {
    const channel = "channel" in received.frame ? received.frame.channel : undefined;
    const kind = received.type === "update" ? received.kind : received.type;
    const drifts = this.#kinds.has(kind) ? [] : this.#decoder.drifts(received);
    this.#kinds.add(kind);
    return { channel, drifts };
  }
}
