// The table of faults: for each kind that a scenario may name, its settings and its effect on each connection, on REST requests,
// or on upgrades. A new kind is a new row.
import * as z from "zod";
import type { Random } from "../../units/random.ts";
import type { OrderbookUpdate } from "../../wire/channels/orderbook.ts";
import { parseChannel } from "../../wire/channels.ts";
import { parseJson } from "../../wire/json.ts";
import { ERROR_CODES } from "../../wire/limits.ts";
import type { OrderBook } from "../engine/order-book.ts";
import { findMarket } from "../feeds/feed.ts";
import { createLevel } from "../feeds/market-feeds.ts";
import type { Connection } from "../server/connection.ts";
import {
  type ActiveFault,
  activateFault,
  atMoments,
  durationMs,
  type FaultContext,
  type FindHttpFault,
  followTimes,
  type HttpFault,
  hasMoments,
  implausibleSpan,
  isPlausibleSpan,
  isWithin,
  moments,
  noMoments,
  type OutgoingFrame,
  pattern,
  probability,
  type StreamFault,
  span,
  when,
} from "./fault.ts";

type Settings<F extends z.ZodRawShape> = z.output<z.ZodObject<F>>;

interface Parts<S> {
  /** Effect on each connection. */
  readonly stream?: (settings: S, fault: ActiveFault, connection: Connection) => StreamFault;
  /** Effects on matching REST requests, and on upgrades. */
  readonly rest?: (settings: S) => HttpFault;
  readonly upgrade?: (settings: S) => HttpFault;
}

interface FaultKind extends Parts<object> {
  readonly fields: z.ZodRawShape;
}

/** A row of the table, with matching types of settings and effects. */
function kind<F extends z.ZodRawShape>(fields: F, parts: Parts<Settings<F>>): FaultKind {
  return { fields, ...(parts as Parts<object>) };
}

/** Settings for updates of matching channels, or requests of matching paths, each struck with a probability. */
const byChance = { channels: pattern, probability, when };
const onPaths = { paths: pattern, probability, when };
const onUpgrades = { probability: probability.default(1), when };

type Frames = (frame: OutgoingFrame) => readonly OutgoingFrame[];

function frames<F extends z.ZodRawShape>(
  fields: F,
  start: (fault: ActiveFault, settings: Settings<F>) => Frames,
): FaultKind {
  return kind(fields, { stream: (settings, fault) => ({ frames: start(fault, settings) }) });
}

/** Replaces each matching frame that the fault strikes; undefined leaves the frame as it is. */
function replaced<F extends z.ZodRawShape>(
  fields: F,
  isMatch: (frame: OutgoingFrame) => boolean,
  replace: (
    frame: OutgoingFrame,
    random: Random,
    settings: Settings<F>,
  ) => readonly OutgoingFrame[] | undefined,
): FaultKind {
  return frames(fields, (fault, settings) => (frame) => {
    if (!isMatch(frame) || !fault.concerns(frame.channel ?? "")) return [frame];
    const replacements = replace(frame, fault.random, settings);
    if (replacements !== undefined) fault.strike();
    return replacements ?? [frame];
  });
}

const isUpdate = ({ type }: OutgoingFrame) => type === "update";
const isMissable = (frame: OutgoingFrame) => frame.isMissable;

function atTimes<F extends z.ZodRawShape>(
  fields: F,
  act: (connection: Connection, settings: Settings<F>, random: Random) => void,
): FaultKind {
  return kind({ ...moments, ...fields, when } as z.ZodRawShape, {
    stream: (settings, fault, connection) => ({
      stop: atMoments(settings, fault, () => {
        fault.strike();
        act(connection, settings as Settings<F>, fault.random);
      }),
    }),
  });
}

/** Effects that are switched on when the fault's times begin, and off when they end. */
function during<F extends z.ZodRawShape>(
  fields: F,
  toggle: (connection: Connection, isOn: boolean, settings: Settings<F>) => void,
): FaultKind {
  return kind({ ...fields, when } as z.ZodRawShape, {
    stream: (settings, fault, connection) => ({
      stop: followTimes(fault, fault.when ?? { after_ms: 0 }, (isOn) => {
        if (isOn) fault.strike();
        toggle(connection, isOn, settings as Settings<F>);
      }),
    }),
  });
}

type Fields = Record<string, unknown>;

/** Updates with changed fields; frames that another fault has broken already are left alone. */
function changed(change: (fields: Fields, random: Random) => void): FaultKind {
  return rewritten(({ text }, random) => {
    const fields = parseJson(text) as Fields | undefined;
    if (fields === undefined) return undefined;
    change(fields, random);
    return JSON.stringify(fields);
  });
}

function rewritten(
  textOf: (frame: OutgoingFrame, random: Random) => string | undefined,
): FaultKind {
  return replaced(byChance, isUpdate, (frame, random) => {
    const text = textOf(frame, random);
    return text === undefined ? undefined : [{ ...frame, text }];
  });
}

/** Fields that every update of the channel must have, apart from `type`. */
function getRequired(fields: Fields): readonly string[] {
  const isAccount = String(fields.channel).startsWith("account/");
  return Object.keys(fields).filter(
    (name) => name !== "type" && (!isAccount || /^timestamp_ns$|sequence$/.test(name)),
  );
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** Codes allowed in a close frame (RFC 6455, 7.4). */
const closeCode = z.union([
  z.int().min(1000).max(1003),
  z.int().min(1007).max(1014),
  z.int().min(3000).max(4999),
]);
const bytesPerSecond = z.int().min(1).max(100_000_000);
const httpStatus = (least: number) => z.int().min(least).max(599).default(503);
const refusalBy = (settings: { status: number; retry_after_s?: string | number | undefined }) => {
  const { status, retry_after_s } = settings;
  const retryAfter = retry_after_s === undefined ? undefined : String(retry_after_s);
  return { type: "refuse" as const, status, retryAfter };
};
const MIB = 1024 * 1024;

/** Messages that are not frames. `text`: arbitrary characters; `bytes`: a binary message; `no-utf8`: invalid text. */
const GARBAGE = {
  text: (random: Random) =>
    Array.from({ length: 1 + Math.floor(random() * 80) }, () =>
      String.fromCodePoint(Math.floor(random() * 0xd800)),
    ).join(""),
  bytes: (random: Random) =>
    Buffer.from(Array.from({ length: 64 }, () => Math.floor(random() * 256))),
  "no-utf8": () => Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0xff, 0x22, 0x7d]),
};

const KINDS = {
  /** Drops numbered frames, never the first after a subscribe: the client sees a gap. */
  "drop-frame": replaced(byChance, isMissable, () => []),
  "duplicate-frame": replaced(byChance, isUpdate, (frame) => [frame, frame]),
  /** Swaps a sequenced update with the one that follows it. */
  "reorder-frames": frames(byChance, (fault) => {
    const held = new Map<string, OutgoingFrame>();
    return (frame) => {
      const { channel = "", isFirst } = frame;
      const previous = held.get(channel);
      held.delete(channel);
      if (previous !== undefined) return isFirst ? [frame] : [frame, previous];
      if (!isMissable(frame) || !fault.concerns(channel)) return [frame];
      fault.strike();
      held.set(channel, frame);
      return [];
    };
  }),
  /** After a new subscribe, repeats the last frame of the previous subscription behind the first frame. */
  "late-frame": frames(byChance, (fault) => {
    const last = new Map<string, OutgoingFrame>();
    return (frame) => {
      const { channel = "", isFirst, isSequenced } = frame;
      if (!isSequenced || !fault.matches(channel)) return [frame];
      const before = isFirst ? last.get(channel) : undefined;
      last.set(channel, frame);
      if (before === undefined || !fault.draws()) return [frame];
      fault.strike();
      return [frame, { ...before, isFirst: false }];
    };
  }),
  /** Delays updates, all by the same time, so that they stay in order. */
  "delay-frames": kind(
    { channels: pattern, delay_ms: durationMs, when },
    {
      stream({ delay_ms }, fault, connection) {
        const { clock } = fault;
        const timers = new Set<() => void>();
        // Frames after the end of the fault's times must not overtake those still held back.
        let heldUntilMs = Number.NEGATIVE_INFINITY;
        const hold = (frame: OutgoingFrame) => {
          const undo = clock.after(Math.max(0, heldUntilMs - clock.now()), () => {
            timers.delete(undo);
            connection.send(frame);
          });
          timers.add(undo);
          return [];
        };
        return {
          frames(frame) {
            // Responses wait behind the updates that were sent before them.
            if (timers.size > 0 && frame.channel === undefined) return hold(frame);
            if (frame.channel === undefined || !fault.matches(frame.channel)) return [frame];
            if (fault.isOn()) heldUntilMs = clock.now() + delay_ms;
            return clock.now() >= heldUntilMs ? [frame] : hold(frame);
          },
          stop() {
            for (const undo of timers) undo();
          },
        };
      },
    },
  ),
  silence: frames({ channels: pattern, when }, (fault) => (frame) => {
    // Evaluated for every frame, so that the strike is counted even if no matching frame is due.
    const isOn = fault.isOn();
    return isOn && frame.channel !== undefined && fault.matches(frame.channel) ? [] : [frame];
  }),
  "truncate-frame": rewritten(({ text }, random) =>
    text.slice(0, Math.floor(text.length * random())),
  ),
  "wrong-type": changed((fields, random) => {
    const name = pick(random, getRequired(fields));
    fields[name] = pick<unknown>(random, [17.5, true, { a: [] }, [null], "¿"]);
  }),
  "missing-field": changed((fields, random) => {
    delete fields[pick(random, getRequired(fields))];
  }),
  /** Adds an undocumented field to an update, as after an upgrade of the service. */
  "extra-field": changed((fields, random) => {
    fields[`x_${Math.floor(random() * 1000)}`] = { note: "\u001b[31mnew" };
  }),
  /** Shifts all server times: ahead of the wall clock or, if negative, behind it. */
  "clock-skew": frames(
    { skew_ms: z.int().min(-86_400_000).max(86_400_000), when },
    (fault, { skew_ms }) => {
      const skewNs = BigInt(skew_ms) * 1_000_000n;
      return (frame) => {
        if (!fault.isOn()) return [frame];
        const text = frame.text.replace(
          /"timestamp_ns":"([0-9]+)"/,
          (_, ns: string) => `"timestamp_ns":"${BigInt(ns) + skewNs}"`,
        );
        return [{ ...frame, text }];
      };
    },
  ),
  /** Adds a bid above the best ask, which stays until the next snapshot. */
  "crossed-book": frames({ ...byChance, channels: pattern.default("orderbook/*") }, (fault) =>
    distortBooks(fault, crossing),
  ),
  /** Removes the best bid from the book although the bbo still has it, until the next snapshot. */
  "false-book": frames({ ...byChance, channels: pattern.default("orderbook/*") }, (fault) =>
    distortBooks(fault, emptying),
  ),
  "garbage-frame": atTimes(
    { form: z.enum(["text", "bytes", "no-utf8"]).default("text") },
    (connection, { form }, random) =>
      connection.insert(GARBAGE[form](random), form === "bytes" ? "binary" : "text"),
  ),
  "giant-frame": atTimes(
    {
      bytes: z
        .int()
        .min(1)
        .max(64 * MIB)
        .default(16 * MIB),
    },
    (connection, { bytes }) => connection.insert(Buffer.alloc(bytes, "x"), "text"),
  ),
  /** Sends many well-formed updates at once, of channels that were never subscribed. */
  flood: atTimes(
    { frames: z.int().min(1).max(1_000_000).default(10_000) },
    (connection, settings) => {
      for (let i = 0; i < settings.frames; i++) {
        const channel = `bbo/spot/${1_000_000 + i}`;
        const bbo = { bid: null, ask: null };
        const frame = { type: "update", channel, timestamp_ns: "1", bbo };
        connection.insert(JSON.stringify(frame), "text");
      }
    },
  ),
  /** An error frame without a channel, unrelated to any command. */
  "stray-error": atTimes({ code: z.int().min(0).max(9999).default(503) }, (connection, { code }) =>
    connection.refuse(code, "the simulator's stray error"),
  ),
  /**
   * Streams are unavailable: a subscribe is answered with 503, and existing subscriptions end with 503 when the time begins.
   */
  unavailable: kind(
    { channels: pattern, ...span },
    {
      stream(settings, fault, connection) {
        const code = ERROR_CODES.streamUnavailable;
        const message = "stream unavailable";
        return {
          refusal(channel) {
            if (!isWithin(settings, fault.elapsedMs()) || !fault.matches(channel)) return undefined;
            fault.strike();
            return { code, message };
          },
          stop: followTimes(fault, settings, (isOn) => {
            if (isOn) connection.revoke(fault.matches, code, message);
          }),
        };
      },
    },
  ),
  /** A subscribe succeeds and yet gets a 409. */
  conflict: kind(byChance, {
    stream: (_, fault, connection) => ({
      subscribed(channel) {
        if (!fault.concerns(channel)) return;
        fault.strike();
        connection.refuse(ERROR_CODES.duplicateSubscription, "already subscribed", channel);
      },
    }),
  }),
  "anonymous-errors": replaced(
    { probability, when },
    ({ type }) => type === "error",
    (frame) => {
      const { channel: _, ...nameless } = JSON.parse(frame.text);
      return [{ ...frame, text: JSON.stringify(nameless) }];
    },
  ),
  "no-farewell": replaced(
    { probability, when },
    ({ type }) => type === "unsubscribed",
    () => [],
  ),
  close: atTimes({ code: closeCode.default(1001) }, (connection, { code }) =>
    connection.close(code, "the simulator's closing fault"),
  ),
  terminate: atTimes({}, (connection) => connection.terminate()),
  "cut-frame": atTimes({}, (connection) => connection.cutNextWrite()),
  /** Nothing is sent or received any more, but the connection stays open, like with a cable that was pulled. */
  "half-open": atTimes({}, (connection) => connection.freeze()),
  "no-pong": during({}, (connection, isOn) => connection.setPongs(!isOn)),
  /** Limits the rate at which bytes leave; the rest waits. */
  "slow-drip": during({ bytes_per_s: bytesPerSecond }, (connection, isOn, { bytes_per_s }) =>
    connection.limitBytesPerSecond(isOn ? bytes_per_s : undefined),
  ),
  /** The hello frame has an unknown protocol version. */
  "wrong-version": replaced(
    { protocol_version: z.int().min(0).max(1000).default(2), when },
    ({ type }) => type === "hello",
    (frame, _, { protocol_version }) => {
      const text = JSON.stringify({ ...JSON.parse(frame.text), protocol_version });
      return [{ ...frame, text }];
    },
  ),
  "refuse-upgrade": kind(
    {
      ...onUpgrades,
      status: httpStatus(300),
      /** Sent as Retry-After, in seconds. */
      retry_after_s: z.int().min(0).max(3600).optional(),
    },
    { upgrade: refusalBy },
  ),
  "hang-upgrade": kind(onUpgrades, { upgrade: () => ({ type: "hang" }) }),
  "rest-error": kind(
    {
      ...onPaths,
      status: httpStatus(400),
      /** Sent as Retry-After: seconds, or any other text verbatim. */
      retry_after_s: z
        .union([z.int().min(0).max(3600), z.string().regex(/^[\x20-\x7e]{0,64}$/)])
        .optional(),
    },
    { rest: refusalBy },
  ),
  "rest-hang": kind(onPaths, { rest: () => ({ type: "hang" }) }),
  "rest-cut": kind(onPaths, { rest: () => ({ type: "cut" }) }),
  /** An HTML page in place of a listing, with status 200. */
  "rest-html": kind(onPaths, { rest: () => ({ type: "html" }) }),
  "rest-slow": kind(
    { ...onPaths, bytes_per_s: bytesPerSecond.default(100) },
    { rest: ({ bytes_per_s }) => ({ type: "slow", bytesPerSecond: bytes_per_s }) },
  ),
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultName = keyof typeof KINDS;

export const FAULT_KINDS: Readonly<Record<FaultName, FaultKind>> = KINDS;

/** The checked settings of one fault. */
export interface Fault {
  readonly kind: FaultName;
  readonly when?: z.output<typeof when>;
}

const schemas = Object.entries(FAULT_KINDS).map(([name, { fields }]) => {
  const schema: z.ZodType<object> = z.strictObject({ kind: z.literal(name), ...fields });
  if ("at_ms" in fields) return schema.refine(hasMoments, noMoments);
  return "for_ms" in fields ? schema.refine(isPlausibleSpan, implausibleSpan) : schema;
});
type Schemas = readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]];

export const fault = z.discriminatedUnion(
  "kind",
  schemas as unknown as Schemas,
) as unknown as z.ZodType<Fault>;

/** Finds the fault that strikes a request or upgrade, if any; the first one wins. */
export function createHttpFaults(
  part: "rest" | "upgrade",
  faults: readonly Fault[],
  context: FaultContext,
): FindHttpFault {
  const started = faults.flatMap((settings) => {
    const httpFault = FAULT_KINDS[settings.kind][part]?.(settings);
    return httpFault === undefined ? [] : { httpFault, ...activateFault(settings, context) };
  });
  return (path) => {
    const hit = started.find(({ concerns }) => concerns(path));
    hit?.strike();
    return hit?.httpFault;
  };
}

// Faults of the order book: books that no exchange has, in well-formed frames.

const crossing: Distortion = ({ asks }) => asks.best && [asks.best.priceTicks + 2, 7];

const emptying: Distortion = ({ bids }) => bids.best && [bids.best.priceTicks, 0];

/** The price and size that a frame shows among the bids instead of the real ones. */
type Distortion = (book: OrderBook) => readonly [priceTicks: number, sizeLots: number] | undefined;

/** Distorts one level, now and then, in frames after the first. */
function distortBooks({ matches, draws, strike, feeds }: ActiveFault, distort: Distortion): Frames {
  return (frame) => {
    const { channel: name = "", isFirst } = frame;
    const channel = parseChannel(name);
    if (channel?.kind !== "orderbook" || isFirst || !matches(name)) return [frame];
    const update = parseUpdate(frame);
    const market = findMarket(feeds, channel.marketType, channel.marketId);
    if (update === undefined || market === undefined || !draws()) return [frame];
    const distorted = distort(market.book);
    if (distorted === undefined) return [frame];
    strike();
    const level = createLevel(feeds, ...distorted);
    const { orderbook, previous_sequence } = update;
    const others = orderbook.bids.filter(({ price_ticks }) => price_ticks !== level.price_ticks);
    const isSnapshot = feeds.interpretations.book === "whole" || previous_sequence === null;
    const bids = isSnapshot && level.size_base_lots === "0" ? others : [level, ...others];
    return [{ ...frame, text: JSON.stringify({ ...update, orderbook: { ...orderbook, bids } }) }];
  };
}

/** Undefined if another fault has broken the frame already. */
function parseUpdate({ text }: OutgoingFrame): OrderbookUpdate | undefined {
  const update = parseJson(text) as OrderbookUpdate | undefined;
  const { bids, asks } = update?.orderbook ?? {};
  return Array.isArray(bids) && Array.isArray(asks) ? update : undefined;
}
