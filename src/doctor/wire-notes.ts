// What was received and sent while the doctor observed the stream: times, and counts per channel.

import type { OpenSocket, Socket } from "../stream/socket.ts";
import type { Clock } from "../units/clock.ts";
import { CHANNELS, type ChannelKind, type Updates } from "../wire/channels.ts";
import { isObject, parseJson } from "../wire/json.ts";
import type { Drift, Rejection } from "../wire/rejection.ts";
import type { StreamEvent } from "../wire/stream-event.ts";

const ITEMS: Readonly<Partial<Record<ChannelKind, string>>> = {
  trades: "trades",
  candles: "candles",
  "mark-candles": "candles",
  markets: "markets",
  "market-stats": "market_stats",
  "funding-rates": "funding_rates",
};
const ACCOUNT_RECORDS = CHANNELS.account.openFields;
export type AccountRecords = (typeof ACCOUNT_RECORDS)[number];

/** Replies to commands that the doctor sent in addition to the stream's own. */
export interface Answer {
  readonly type: string;
  readonly channel: string | undefined;
  readonly code: number | undefined;
  readonly message: string;
  readonly atMs: number;
}

/** Observations of one channel: counts and first values. Times are monotonic milliseconds. */
export class ChannelNotes {
  readonly kind: ChannelKind;
  askedAtMs: number | undefined;
  firstAtMs: number | undefined;
  frames = 0;
  /** Number of items in the first frame, and in the largest later one. */
  firstItems = 0;
  mostItems = 0;
  firstPrevious: "null" | "same" | "other" | undefined;
  follows = 0;
  breaks = 0;
  nullPrevious = 0;
  nullSequence = 0;
  rejected = 0;
  rejection: Rejection | undefined;
  drifts = 0;
  drift: Drift | undefined;
  /** Code and message of the refusal. */
  refusal: string | undefined;
  readonly fields = new FieldProfile();
  readonly accountFields = Object.fromEntries(
    ACCOUNT_RECORDS.map((name) => [name, new FieldProfile()]),
  ) as Readonly<Record<AccountRecords, FieldProfile>>;
  #held: string | null = null;

  constructor(kind: ChannelKind) {
    this.kind = kind;
  }

  add(frame: Updates[ChannelKind], atMs: number, isFirst: boolean): void {
    const items = this.#itemsOf(frame);
    if (this.frames === 0) {
      this.firstAtMs = atMs;
      this.firstItems = items.length;
    } else this.mostItems = Math.max(this.mostItems, items.length);
    if ("sequence" in frame) {
      this.#addSequence(frame.previous_sequence, frame.sequence, isFirst);
    }
    if (this.kind === "account") this.#addAccount(frame as Updates["account"]);
    else if (CHANNELS[this.kind].openFields.length > 0) {
      for (const item of items) this.fields.add(item);
    }
    this.frames++;
  }

  #addAccount(frame: Updates["account"]): void {
    for (const name of ACCOUNT_RECORDS) {
      const records = frame[name] ?? [];
      for (const record of Array.isArray(records) ? records : [records]) {
        this.accountFields[name].add(record);
      }
    }
  }

  #addSequence(previous: string | null, sequence: string | null, isFirst: boolean): void {
    if (isFirst) {
      this.firstPrevious ??= previous === null ? "null" : previous === sequence ? "same" : "other";
    } else if (previous === null) this.nullPrevious++;
    else if (this.#held !== null) {
      if (previous === this.#held) this.follows++;
      else this.breaks++;
    }
    if (sequence === null) this.nullSequence++;
    this.#held = sequence;
  }

  #itemsOf(frame: Updates[ChannelKind]): readonly object[] {
    const name = ITEMS[this.kind];
    const items = name === undefined ? [] : (frame as object as Record<string, unknown>)[name];
    return Array.isArray(items) ? items : [];
  }
}

/** Maximum commands on the stream: ten channels, the three unusual commands, and what a resync needs. */
const MAX_COMMANDS = 18;

/** What passed through one stream's sockets. Times are monotonic milliseconds; undefined if it has not happened. */
export class WireNotes {
  readonly channels = new Map<string, ChannelNotes>();
  readonly answers: Answer[] = [];
  readonly #clock: Clock;
  #socket: Socket | undefined;
  startedAtMs: number | undefined;
  openedAtMs: number | undefined;
  helloAtMs: number | undefined;
  keepaliveTimeoutMs: number | undefined;
  firstCommandAtMs: number | undefined;
  commands = 0;
  pongs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wraps the sockets to observe them. Commands beyond MAX_COMMANDS are not sent. */
  sockets(open: OpenSocket): OpenSocket {
    return (handlers) => {
      this.startedAtMs ??= this.#clock.now();
      const socket = open({
        ...handlers,
        onOpen: () => {
          this.openedAtMs ??= this.#clock.now();
          handlers.onOpen();
        },
        onMessage: (message) => {
          this.#observe(message);
          handlers.onMessage(message);
        },
        onPong: () => {
          this.pongs++;
          handlers.onPong();
        },
      });
      this.#socket = { ...socket, send: (message) => this.#send(socket, message) };
      return this.#socket;
    };
  }

  ask(type: "subscribe" | "unsubscribe", channel: string): void {
    this.#socket?.send(JSON.stringify({ type, channel }));
  }

  /** The first reply for that channel since a moment; an error that names no channel counts for any. */
  answerOf(channel: string, sinceMs: number): Answer | undefined {
    return this.answers.find(
      (each) => each.atMs >= sinceMs && (each.channel === undefined || each.channel === channel),
    );
  }

  event(event: StreamEvent): void {
    if (!("channel" in event) || event.channel === undefined) return;
    const notes = this.channels.get(event.channel);
    if (notes === undefined) return;
    if (event.type === "subscribing") notes.askedAtMs ??= event.atMs;
    else if (event.type === "update") {
      notes.add(event.update.frame, event.atMs, event.isFirst);
    } else if (event.type === "refused") notes.refusal = `${event.code}: ${event.message}`;
    else if (event.type === "unavailable") notes.refusal = `503: ${event.message}`;
    else if (event.type === "rejected") {
      notes.rejected++;
      notes.rejection ??= event.rejection;
    } else if (event.type === "drift") {
      notes.drifts++;
      notes.drift ??= event.drifts[0];
    }
  }

  #send(socket: Socket, message: string): void {
    if (this.commands >= MAX_COMMANDS) return;
    this.commands++;
    this.firstCommandAtMs ??= this.#clock.now();
    socket.send(message);
  }

  #observe(message: string): void {
    // Updates are frequent and irrelevant here.
    if (message.startsWith('{"type":"update"')) return;
    const frame = parseJson(message) as Partial<Record<string, unknown>> | null | undefined;
    const atMs = this.#clock.now();
    if (frame?.type === "hello") {
      this.helloAtMs ??= atMs;
      this.keepaliveTimeoutMs ??= Number(frame.keepalive_timeout_ms);
    } else if (frame?.type === "error" || frame?.type === "unsubscribed") {
      this.answers.push({
        type: frame.type,
        channel: typeof frame.channel === "string" ? frame.channel : undefined,
        code: typeof frame.code === "number" ? frame.code : undefined,
        message: String(frame.message ?? ""),
        atMs,
      });
    }
  }
}

/** Maximum fields listed; further fields of a record are left out. */
const MAX_FIELDS = 60;

/** The fields of the records added, with the types of their values, each in the order first seen. */
export class FieldProfile {
  readonly #types = new Map<string, Set<string>>();
  readonly #lists = new Map<string, FieldProfile>();
  records = 0;

  add(record: object): void {
    this.records++;
    for (const [name, value] of Object.entries(record)) {
      if (Array.isArray(value)) this.#addList(name, value);
      const types = this.#types.get(name) ?? new Set();
      if (this.#types.size < MAX_FIELDS || this.#types.has(name)) {
        this.#types.set(name, types.add(getType(value)));
      }
    }
  }

  /** `margin_tiers: max_leverage integer`: contents of lists of objects. Empty if there are none. */
  get lists(): string {
    return [...this.#lists].map(([name, profile]) => `${name}: ${profile}`).join("; ");
  }

  /** `symbol text, market_id integer, funding decimal text`. Empty before the first record. */
  toString(): string {
    return [...this.#types].map(([name, types]) => `${name} ${[...types].join("|")}`).join(", ");
  }

  #addList(name: string, items: readonly unknown[]): void {
    const objects = items.filter(isObject);
    if (objects.length === 0) return;
    const profile = this.#lists.get(name) ?? new FieldProfile();
    if (this.#lists.size < MAX_FIELDS || this.#lists.has(name)) this.#lists.set(name, profile);
    for (const object of objects) profile.add(object);
  }
}

function getType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "list" : `list of ${getType(value[0])}`;
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value !== "string") return typeof value;
  if (/^-?[0-9]+$/.test(value)) return "integer text";
  return /^-?[0-9]+\.[0-9]+$/.test(value) ? "decimal text" : "text";
}
