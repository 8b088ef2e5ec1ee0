// One line of a recording: a heading, the state at its beginning, then a line for each thing that happened.
import type { Known, Point } from "../dialect/dialect.ts";
import type { KnownScale } from "../state/scale.ts";
import type { States, Store } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import type { Link } from "../stream/link.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { INTERVALS, type Interval, isAddress, type Kind, kindOf } from "../wire/channels.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../wire/json.ts";
import { fromExact, toExact } from "./exact.ts";

/** Of this format: recordings of others are refused. */
const VERSION = 3;

/** `t`: monotonic milliseconds of the machine that recorded; `w`: its wall clock, Unix milliseconds. */
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
  readonly recording: number;
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

/** What has changed in the store otherwise than by folding a message. */
export interface Changes {
  link?: Link;
  /** Channels that were left; one may have been subscribed anew. */
  gone?: readonly string[];
  channels?: Record<string, ChannelStatus>;
  dialect?: Partial<Record<Point, Known>>;
  scales?: Record<string, KnownScale>;
  drift?: Record<string, number>;
  /** Whole states that something else than a message has changed. */
  states?: Record<string, States[Kind]>;
}

/** Any line after the first. */
export interface Entry extends Stamp {
  /** At the beginning: what was held then. */
  readonly state?: Store;
  /** A message that came. */
  readonly in?: string;
  /** Where the last message was folded, if it was; by itself when something came between. */
  place?: Place;
  /** Of a first frame: nothing was missed before. */
  isContinuous?: true;
  readonly out?: string;
  readonly event?: Happening;
  /** It was printed at this time. */
  readonly printed?: "page" | "line";
  /** They come last. */
  changes?: Changes | undefined;
}

export function createHeading(stamp: Stamp, about: Omit<Heading, "recording" | keyof Stamp>) {
  return { ...stamp, recording: VERSION, ...about };
}

export function encodeLine(line: Heading | Entry): string {
  const { state, changes } = line as Entry;
  if (state === undefined && changes === undefined) return JSON.stringify(line);
  return JSON.stringify({
    ...line,
    ...(state && { state: toExact(state) }),
    ...(changes && { changes: toExact(changes) }),
  });
}

/** @returns undefined for what is no line of a recording */
export function decodeLine(text: string): Entry | undefined {
  try {
    const line = JSON.parse(text) as JsonObject;
    if (typeof line.t !== "number" || typeof line.w !== "number") return undefined;
    const { state, changes } = line;
    if (state === undefined && changes === undefined) return line as unknown as Entry;
    return {
      ...line,
      ...(state && { state: fromExact(state) }),
      ...(changes && { changes: fromExact(changes) }),
    } as unknown as Entry;
  } catch {
    return undefined;
  }
}

/** @throws {MonitorError} if it is not the first line of a recording that this program can read */
export function decodeHeading(text: string, path: string): Heading {
  const line = parseJson(text);
  const refuse = (words: string, advice: string): never => {
    throw new MonitorError("recording", "usage", `${path} ${words}`, { advice });
  };
  if (!isObject(line) || typeof line.recording !== "number" || typeof line.t !== "number")
    return refuse("is no recording", "expected: a file of --record or monitor record");
  if (line.recording !== VERSION)
    refuse(
      `is a recording of format ${line.recording}, not ${VERSION}`,
      "replay it with the version of monitor that recorded it",
    );
  if (line.shown !== undefined && !isShown(line.shown))
    refuse("is no recording", "its first line does not say what was shown");
  return line as unknown as Heading;
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
