// Streams numbered, split, repeated, thinned out and taken away in every way that the document allows: whatever a pane that
// says live or quiet holds is what the service has, unless something is missing that no frame has shown yet.
import { expect, test } from "vitest";
import { isSoak, runs, SEED } from "../support/soak.ts";
import { type ComposedStream, composeStream, streamOf } from "./compose-stream.ts";
import { createRandom, hash } from "./random.ts";
import { checkRows, type Finding } from "./truth-check.ts";
import { accountFindings } from "./watch-accounts.ts";
import { bookFindings, recordFindings } from "./watch-books.ts";
import { type LookedAt, watchService } from "./watch-service.ts";

const SEEDS = runs(5, 300);
/** Of each service. */
const SECONDS = isSoak ? 300 : 60;

/** The delivery of a composed service, its contents plain but for how they are split. */
function compose(seed: number): ComposedStream {
  const { delivery } = composeStream(seed).facts;
  const draws = createRandom(hash(seed, 900));
  const splits = () => ({ splits: draws.chance(0.5), splitsSnapshot: draws.chance(0.3) });
  // How soon a dead link is found, and which of the channels an error is about, are other subjects.
  const plain = { silentShare: 0, errorsNameChannel: true };
  return streamOf(
    { ...delivery, ...plain },
    {
      account: { ...splits(), rate: 1 },
      book: { ...splits(), rate: 2 },
      trades: { splits: draws.chance(0.5), isNewestFirst: draws.chance(0.5), rate: 2 },
      markets: { splitsSnapshot: draws.chance(0.3) },
    },
  );
}

/** Every trade that is shown was made, and is shown once. */
function tradeFindings({ store, channel, state, truth }: LookedAt): readonly Finding[] {
  if (truth.kind !== "trades") return [];
  const rows = store.slice("trades", channel).data.recent();
  const texts = rows.map((row) => JSON.stringify(row));
  return checkRows({ list: channel, rows: texts, state }, [], truth.trades);
}

/** True for a service on which nothing ends by itself and whose numbers can be understood. */
function isSteady({ facts: { delivery } }: ComposedStream): boolean {
  const { numbering, closeShare, takeAwayShare, lossShare, firstUnavailable, hello } = delivery;
  const faults = closeShare + takeAwayShare + lossShare + firstUnavailable;
  const isPlain =
    numbering !== "service" && hello === "at-once" && delivery.firstFrame === "at-once";
  const isLasting = delivery.lifeSeconds >= SECONDS;
  const limits = delivery.maxSubscriptions + delivery.commandsPerSecond;
  return isPlain && isLasting && faults + delivery.outageShare + limits === 0;
}

test(`${SEEDS} services: nothing that is live or quiet is untrue`, () => {
  const untrue: string[] = [];
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    const composed = compose(seed);
    const live = new Map(composed.channels.map((channel) => [channel, 0]));
    const watched = watchService(composed, seed, {
      channels: composed.channels,
      seconds: SECONDS,
      isMarked: () => false,
      onLook: (channel, isLive) => live.set(channel, (live.get(channel) ?? 0) + Number(isLive)),
      find: (at) =>
        [accountFindings, bookFindings, recordFindings, tradeFindings].flatMap((of) => of(at)),
    });
    if (watched.untrue !== "") untrue.push(watched.untrue);
    else if (isSteady(composed)) {
      const shares = [...live.values()].map((count) => count / watched.looks);
      expect(Math.min(...shares), `seed ${seed}: ${composed.describe}`).toBeGreaterThan(0.5);
    }
  }
  expect(untrue).toEqual([]);
});
