// What a session shows of the market perp/1, live or replayed from the lines of its recording.
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import { accountViewJson } from "../../src/print/account-json.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { formatMarket, marketChannels } from "../../src/select/market.ts";
import type { Stream } from "../../src/stream/stream.ts";
import { Player } from "../../src/timeline/player.ts";
import { decodeEntry, decodeHeading } from "../../src/timeline/recording-reader.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export const market = { type: "perp", id: "1" } as const;
export const channels = marketChannels(market, "1m");
/** Far more than the player takes. */
const MAX_TURNS = 100_000;

/** Every channel of the market, and those of an account. */
export function watchAll(stream: Pick<Stream, "subscribe">, ...accounts: readonly string[]): void {
  for (const channel of [...Object.values(channels), ...accounts]) {
    if (channel) stream.subscribe(channel);
  }
}

type Shown = Pick<ReplayedSession, "store" | "scales" | "nowMs">;

/** The market as it is printed, with the account of this address. */
export function marketText({ store, scales, nowMs }: Shown, address?: string): string {
  const scale = scales.of(formatMarket(market));
  const account = address === undefined ? undefined : { address, subaccountId: "0" };
  return stringifyExact(
    marketJson({ store, market, channels, interval: "1m", scale, nowMs, wallMs: nowMs, account }),
  );
}

/** Everything that is printed of the market and the account, and what is kept of each channel and of the link. */
export function shownText({ store, scales, nowMs }: Shown, address: string): string {
  const account = { address, subaccountId: "0" };
  return [
    marketText({ store, scales, nowMs }, address),
    stringifyExact(accountViewJson({ store, account, scales, nowMs })),
    JSON.stringify(store.slices.map(({ channel, feed }) => [channel, feed]).sort()),
    JSON.stringify([store.link, store.counts]),
  ].join("\n");
}

/** The entries of a recording, and a session to which none has been applied. */
export function openText(text: string) {
  const [first = "", ...lines] = text.trimEnd().split("\n");
  const heading = decodeHeading(first);
  if (heading === undefined) throw new Error(first);
  const entries = lines.map((line) => {
    const entry = decodeEntry(line);
    if (entry === undefined) throw new Error(line.slice(0, 500));
    return entry;
  });
  return { heading, entries, session: new ReplayedSession(heading.settings, heading) };
}

/** A session to which all of a recording has been applied. */
export function replay(text: string): ReplayedSession {
  const { entries, session } = openText(text);
  for (const entry of entries) session.apply(entry);
  return session;
}

/** A session to which all of a recording has been played. */
export async function play(text: string, speed: number): Promise<ReplayedSession> {
  const { heading, entries, session } = openText(text);
  const clock = createVirtualClock();
  const player = new Player({
    clock,
    startMs: heading.t,
    open: async () =>
      (async function* () {
        yield* entries;
      })(),
    apply: (entry) => session.apply(entry),
    onRestart: () => session.restart(),
    onChange: () => {},
  });
  player.speed = speed;
  const ended = player.run();
  for (let turns = 0; !player.isOver && turns < MAX_TURNS; turns++) {
    clock.advance(speed === 1 ? 10 : 1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!player.isOver) throw new Error("the player does not come to an end");
  player.stop();
  await ended;
  return session;
}
