// Checks of the stream: a session is opened as for any view, watched for a while, and judged by what its store then holds.
import { columnOf, fieldsOf } from "../dialect/fields.ts";
import type { Meaning } from "../dialect/names.ts";
import type { Session, SessionEvent, SessionOptions } from "../live/session.ts";
import { channelState } from "../state/channel-state.ts";
import type { List } from "../state/list.ts";
import { type Store, select } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import { kindOf, parseChannel } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { type Check, check, count, ms } from "./check.ts";

const PING_EVERY_MS = 1000;
const LOOK_EVERY_MS = 100;
/** Once all channels have brought something, it goes on so long to see what follows. */
const GOES_ON_MS = 3000;
/** A clock that is further off makes countdowns and candles wrong. */
const MAX_SKEW_MS = 5000;

export interface StreamWatch {
  readonly clock: Clock;
  readonly channels: readonly string[];
  /** How long it is watched at most. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  open(listeners: Required<Pick<SessionOptions, "channels" | "onUpdate" | "onEvent">>): Session;
}

/** What was seen beside the store. */
interface Seen {
  openedAtMs: number | undefined;
  readonly frames: Map<string, number>;
  /** The first thing that was rejected, by channel. */
  readonly rejected: Map<string | undefined, string>;
}

export async function checkStream(watch: StreamWatch): Promise<{ checks: Check[]; store: Store }> {
  const { clock } = watch;
  const startedAtMs = clock.now();
  const seen: Seen = { openedAtMs: undefined, frames: new Map(), rejected: new Map() };
  const session = watch.open({
    channels: watch.channels,
    onUpdate: ({ channel }) => void seen.frames.set(channel, (seen.frames.get(channel) ?? 0) + 1),
    onEvent: (event) => note(seen, event, clock.now()),
  });
  const { store } = session;
  try {
    await watched(watch, session);
    const nowMs = clock.now();
    const connection = checkConnection(store, seen, startedAtMs);
    if (seen.openedAtMs === undefined) return { checks: [connection], store };
    const checks = [
      ...[connection, ...checkLink(store, clock)],
      ...watch.channels.map((channel) => checkChannel(store, channel, seen, nowMs)),
      ...[checkDrift(store), ...checkNames(store)],
    ];
    return { checks, store };
  } finally {
    session.close();
  }
}

function note(seen: Seen, { event, channel, detail }: SessionEvent, nowMs: number): void {
  if (event === "connected") seen.openedAtMs ??= nowMs;
  if (event === "rejected" && !seen.rejected.has(channel)) seen.rejected.set(channel, detail);
}

/** Ends a while after every channel has brought its first frame, or was refused. */
function watched({ clock, timeoutMs, signal }: StreamWatch, session: Session): Promise<void> {
  const untilMs = clock.now() + timeoutMs;
  let completeAtMs: number | undefined;
  let pingAtMs = 0;
  return new Promise((resolve) => {
    const look = () => {
      const nowMs = clock.now();
      const statuses = [...session.store.channels.values()];
      if (statuses.every(({ firstAtMs, phase }) => firstAtMs !== undefined || phase === "refused"))
        completeAtMs ??= nowMs;
      const isEnough = nowMs >= Math.min(untilMs, (completeAtMs ?? untilMs) + GOES_ON_MS);
      if (isEnough || signal.aborted) {
        resolve();
        return;
      }
      if (nowMs >= pingAtMs) {
        session.ping();
        pingAtMs = nowMs + PING_EVERY_MS;
      }
      clock.after(LOOK_EVERY_MS, look);
    };
    look();
  });
}

function checkConnection({ link }: Store, { openedAtMs }: Seen, startedAtMs: number): Check {
  const id = "stream.connection";
  if (openedAtMs === undefined) return check(id, "fail", link.fault?.detail ?? "not open in time");
  const opened = `open after ${ms(openedAtMs - startedAtMs)}`;
  if (link.reconnects === 0) return check(id, "ok", opened);
  const fault = link.fault === undefined ? "" : `: ${link.fault.detail}`;
  return check(id, "warn", `${opened}, lost ${count(link.reconnects, "time")}${fault}`);
}

function checkLink({ link }: Store, clock: Clock): readonly Check[] {
  const { protocolVersion: version, roundTripMs, offsetMs } = link;
  const skewMs = clock.wall() - clock.now() + (offsetMs ?? 0);
  const skew = `this clock less the service's times: ${Math.round(skewMs)} ms`;
  return [
    version === undefined
      ? check("stream.hello", "warn", "no hello; commands were sent after a second without it")
      : check("stream.hello", version === 1 ? "ok" : "warn", `protocol version ${version}`),
    roundTripMs === undefined
      ? check("stream.ping", "fail", "no answer to a ping")
      : check("stream.ping", "ok", `round trip ${ms(roundTripMs)}`),
    offsetMs === undefined
      ? check("stream.clock", "unknown", "no frame had a time")
      : check("stream.clock", Math.abs(skewMs) > MAX_SKEW_MS ? "warn" : "ok", skew),
  ];
}

function checkChannel(store: Store, channel: string, seen: Seen, nowMs: number): Check {
  // Reports are shared: no addresses.
  const id = `channel.${parseChannel(channel)?.address === undefined ? channel : kindOf(channel)}`;
  const status = store.channels.get(channel);
  if (status === undefined) return check(id, "unknown", "not subscribed");
  const { counts, error, firstAtMs, phase } = status;
  if (phase === "refused" && error)
    return check(id, "warn", `refused: ${error.code} ${error.message}`);
  const rejected = count(counts.rejected, "frame");
  const first = seen.rejected.get(channel) ?? "";
  if (counts.rejected > 0)
    return check(id, "fail", `${rejected} not as documented, first: ${first}`);
  if (firstAtMs === undefined) return check(id, "unknown", "no frame while watching");
  const state = channelState(status, store.link, nowMs);
  const waited = ms(firstAtMs - (seen.openedAtMs ?? firstAtMs));
  const missed = counts.gaps === 0 ? "" : `, ${count(counts.gaps, "gap")}`;
  const fact = `${state}, first frame after ${waited}, ${count(seen.frames.get(channel) ?? 0, "frame")}${missed}`;
  return check(id, counts.gaps > 0 || state === "resync" ? "warn" : "ok", fact);
}

/** How many examples of what is not documented are named. */
const SHOWN_DRIFTS = 4;

function checkDrift({ drift }: Store): Check {
  const id = "stream.documented";
  if (drift.size === 0) return check(id, "ok", "nothing but what the document lists");
  const examples = [...drift.keys()].slice(0, SHOWN_DRIFTS).join(", ");
  const more = drift.size > SHOWN_DRIFTS ? " …" : "";
  const things = count(drift.size, "thing");
  return check(id, "warn", `${things} that the document does not list: ${examples}${more}`);
}

/** What the views need of each kind of record. */
const NEEDED: Readonly<Record<string, readonly Meaning[]>> = {
  markets: ["symbol"],
  "market-stats": ["mark", "index"],
  positions: ["market", "positionSize"],
  orders: ["orderId", "market", "side", "orderSize", "price"],
  balances: ["asset"],
  fills: ["market", "side", "fillSize", "fillPrice"],
};
const SHOWN_NAMES = 12;

/** Are the fields of open records found under one of the usual names? */
function checkNames(store: Store): readonly Check[] {
  const { names } = store.dialect;
  return Object.entries(recordsOf(store)).flatMap(([list, rows]) => {
    if (rows.length === 0) return [];
    const needed = NEEDED[list] ?? [];
    const missing = needed.filter((meaning) => columnOf(rows, meaning, names) === undefined);
    if (missing.length === 0) return [check(`names.${list}`, "ok", `${needed.join(", ")} found`)];
    const fields = [...fieldsOf(rows[0] ?? {}).keys()].slice(0, SHOWN_NAMES).join(", ");
    const fact = `no ${missing.join(", no ")} among ${fields}: [dialect.names] can say where it is`;
    return [check(`names.${list}`, "warn", fact)];
  });
}

function recordsOf(store: Store): Readonly<Record<string, readonly OpenRecord[]>> {
  const channels = [...store.channels.keys()];
  const rowsOf = (lists: readonly (List | undefined)[]) =>
    lists.flatMap((list) => [...(list?.rows.values() ?? [])]);
  const accounts = channels.flatMap((channel) => select(store, "account", channel) ?? []);
  return {
    markets: rowsOf(channels.map((channel) => select(store, "markets", channel))),
    "market-stats": rowsOf(channels.map((channel) => select(store, "market-stats", channel))),
    positions: rowsOf(accounts.map(({ positions }) => positions)),
    orders: rowsOf(accounts.map(({ orders }) => orders)),
    balances: rowsOf(accounts.map(({ balances }) => balances)),
    fills: accounts.flatMap(({ fills }) => fills),
  };
}
