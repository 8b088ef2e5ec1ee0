// One line of a recording, in a file or in memory: a heading, the state at its beginning, then a line for each thing that happened.

import type { Dialect } from "../dialect/dialect.ts";
import type { States, Store } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import type { Link } from "../stream/link.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { US_PER_MS } from "../units/time.ts";
import { INTERVALS, type Interval, isAddress, kindOf } from "../wire/channels.ts";
import type { Kind } from "../wire/frames.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../wire/json.ts";
import { fromExact, toExact } from "./exact.ts";

/** Of this format: recordings of others are refused. */
const VERSION = 5;

/** `t`: monotonic milliseconds of the machine that recorded, in a line whole microseconds; `w`: its wall clock, Unix milliseconds. */
export interface Stamp {
  readonly t: number;
  readonly w: number;
}

/** What the run showed that was recorded, and a replay shows first. */
export interface Shown {
  readonly view: "market" | "account" | "markets";
  /** `perp/1`; undefined where none is shown. */
  readonly market?: string | undefined;
  /** `ADDRESS/ID`. */
  readonly account?: string | undefined;
  readonly addresses: readonly string[];
  readonly interval: string;
  /** Where the order flow begins; undefined: with the first trades. */
  readonly flowSinceMs?: number | undefined;
  readonly isSimulated?: boolean | undefined;
}

/** The first line. */
export interface Heading extends Stamp {
  /** Of the program. */
  readonly version: string;
  /** Undefined of channels alone. */
  readonly shown?: Shown | undefined;
  /** Why the last minutes were saved. */
  readonly cause?: string | undefined;
}

/** What was concluded, or has happened beside: an event of the session, an alert. */
export interface Happening {
  readonly event: string;
  readonly channel?: string | undefined;
  readonly detail: string;
}

/** What has changed in the store otherwise than by folding a message: whole parts of it. */
export interface Changes {
  readonly link?: Link;
  /** Channels that were left; one may have been subscribed anew. */
  readonly gone?: readonly string[];
  readonly channels?: ReadonlyMap<string, Omit<ChannelStatus, "lastAtMs" | "everyMs">>;
  readonly dialect?: Omit<Dialect, "names">;
  readonly scales?: Store["scales"];
  readonly drift?: Store["drift"];
  /** What channels hold, where something else than a message has changed it. */
  readonly states?: Readonly<Record<string, States[Kind]>>;
}

/** What a line after the first tells: one of these. */
export interface Content {
  /** At the beginning: what was held then. */
  readonly state?: Store;
  /** A message that came. */
  readonly in?: string;
  /** Where it was folded, if it was. */
  readonly place?: Place;
  /** Of a first frame: nothing was missed before. */
  readonly isContinuous?: boolean;
  readonly out?: string;
  readonly event?: Happening;
  /** It was printed at this time. */
  readonly printed?: "page" | "line";
  readonly changes?: Changes;
}

export type Entry = Stamp & Content;

const encodeStamp = ({ t, w }: Stamp) => `{"t":${Math.floor(t * US_PER_MS)},"w":${w},`;

export function encodeHeading({ t, w, ...about }: Heading): string {
  return `${encodeStamp({ t, w })}${JSON.stringify({ recording: VERSION, ...about }).slice(1)}`;
}

export function encodeEntry(stamp: Stamp, content: Content): string {
  const { state, changes } = content;
  const exact = state === undefined && changes === undefined ? content : toExact(content);
  return `${encodeStamp(stamp)}${JSON.stringify(exact).slice(1)}`;
}

/**
 * Of a message that was folded: what stands before it in its line, where it is as it came. So thousands a second cost little, and
 * are not read as JSON twice. A `}` ends the line.
 */
export function encodeFolded(stamp: Stamp, place: Place, isContinuous: boolean): string {
  const how = isContinuous ? `${place}","isContinuous":true` : `${place}"`;
  return `${encodeStamp(stamp)}"place":"${how},"in":`;
}

const FOLDED =
  /^\{"t":([0-9]+),"w":([0-9.]+),"place":"(first|next|part|gap)",("isContinuous":true,)?"in":/;

/** @returns undefined for what is no line of a recording */
export function decodeLine(line: string): Entry | undefined {
  try {
    const [head, t, w, place, isContinuous] = FOLDED.exec(line) ?? [];
    if (head === undefined) return decodeOther(JSON.parse(line));
    const message = line.slice(head.length, -1);
    return {
      ...{ t: Number(t) / US_PER_MS, w: Number(w), place: place as Place },
      isContinuous: isContinuous !== undefined,
      in: message.startsWith('"') ? JSON.parse(message) : message,
    };
  } catch {
    return undefined;
  }
}

function decodeOther({ t, w, state, changes, ...content }: JsonObject): Entry | undefined {
  if (typeof t !== "number" || typeof w !== "number") return undefined;
  return {
    ...content,
    ...{ t: t / US_PER_MS, w },
    ...(state !== undefined && { state: fromExact(state) }),
    ...(changes !== undefined && { changes: fromExact(changes) }),
  } as Entry;
}

/** Without reading more of a line than its beginning; NaN for what is none. */
export function decodeStamp(line: string): Stamp {
  const [, t, w] = /^\{"t":([0-9]+),"w":([0-9.]+),/.exec(line) ?? [];
  return { t: Number(t) / US_PER_MS, w: Number(w) };
}

/** @throws {MonitorError} if it is not the first line of a recording that this program can read */
export function decodeHeading(text: string, path: string): Heading {
  const line = parseJson(text);
  const { recording, t, shown } = isObject(line) ? line : {};
  const refuse = (words: string, advice: string): never => {
    throw new MonitorError("recording", "usage", `${path} ${words}`, { advice });
  };
  if (typeof recording === "number" && recording !== VERSION)
    refuse(
      `is a recording of format ${recording}, not ${VERSION}`,
      "replay it with the version of monitor that recorded it",
    );
  if (recording !== VERSION || typeof t !== "number" || (shown !== undefined && !isShown(shown)))
    return refuse("is no recording", "expected: a file of --record or monitor record");
  return { ...(line as unknown as Heading), t: t / US_PER_MS };
}

function isShown(shown: Json): boolean {
  if (!isObject(shown) || !Array.isArray(shown.addresses)) return false;
  const { view, market = "perp/1", account = "", addresses, interval } = shown;
  return (
    ["market", "account", "markets"].includes(view as string) &&
    /^(?:perp|spot)\/[0-9]+$/.test(`${market}`) &&
    (account === "" || kindOf(`account/${account}`) === "account") &&
    addresses.every((address) => isAddress(`${address}`)) &&
    INTERVALS.includes(interval as Interval)
  );
}
