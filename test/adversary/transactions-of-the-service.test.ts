// `previous_sequence` may name the transaction before on the whole service, which most often changed another channel.
import { describe, expect, test } from "vitest";
import { sequenceSeen } from "../../src/doctor/findings.ts";
import { selectLinkNotes, selectLinkRows } from "../../src/screen/views/link.tsx";
import { createRandom } from "../../src/units/random.ts";
import { openChainRig, PERP, trades } from "../support/chain-rig.ts";

type Rig = ReturnType<typeof openChainRig>;

/** Counts all transactions; each is told to the channel that it changed. */
class CountingService {
  readonly rig: Rig;
  sequence = 100;
  #id = 0;

  constructor(rig: Rig) {
    this.rig = rig;
  }

  /** The first frame of a subscription. */
  begin(channel: string): void {
    this.rig.say(channel, [null, `${this.sequence}`], trades(++this.#id));
  }

  /** A transaction that changes this channel, or one that nobody watches. */
  transact(channel?: string): void {
    this.sequence++;
    if (channel === undefined) return;
    this.rig.say(channel, [`${this.sequence - 1}`, `${this.sequence}`], trades(++this.#id));
    this.rig.clock.advance(10);
    if (this.rig.state(channel) !== "resync") return;
    this.rig.resubscribe(channel);
    this.begin(channel);
  }

  /** Changes this channel in every second transaction. */
  alternate(channel: string, times: number): void {
    for (let i = 0; i < times; i++) {
      this.transact();
      this.transact(channel);
    }
  }
}

function open(...channels: string[]) {
  const rig = openChainRig(channels);
  const service = new CountingService(rig);
  for (const channel of channels) service.begin(channel);
  return { ...rig, service };
}

describe("a service whose previous counts all of its transactions", () => {
  test.each([0.05, 0.5, 0.9])(
    "is fetched anew twice at the most, where %f of them change the channel",
    (share) => {
      const { service, feed, state, takeTold } = open(PERP.trades);
      const random = createRandom(7);
      for (let i = 0; i < 500; i++) service.transact(random() < share ? PERP.trades : undefined);
      service.transact(PERP.trades);
      expect(feed(PERP.trades)).toMatchObject({ resyncs: 2, gaps: 2 });
      expect(takeTold()).toEqual(["gap", "resync", "gap", "resync", "numbering"]);
      expect(state(PERP.trades)).toBe("live");
    },
  );

  test("is none where a frame has named the one before it across others: frames lost one by one are gaps", () => {
    const rig = openChainRig([PERP.trades]);
    let sequence = 100;
    let id = 0;
    const say = (previous: number, next: number) => {
      sequence = next;
      rig.say(PERP.trades, [`${previous}`, `${next}`], trades(++id));
    };
    rig.say(PERP.trades, [null, "100"], trades(++id));
    say(sequence, sequence + 2);
    for (let lost = 0; lost < 5; lost++) {
      for (let i = 0; i < 4; i++) say(sequence, sequence + 1);
      say(sequence + 1, sequence + 2);
      rig.resubscribe(PERP.trades);
      rig.say(PERP.trades, [null, `${sequence}`], trades(id));
    }
    expect(rig.feed(PERP.trades)).toMatchObject({ gaps: 5, resyncs: 5 });
    expect(rig.takeTold()).not.toContain("numbering");
  });

  test("is known for the other channels of the kind", () => {
    const { service, feed } = open(PERP.trades, "trades/perp/2");
    service.alternate(PERP.trades, 20);
    service.alternate("trades/perp/2", 20);
    expect(feed("trades/perp/2")).toMatchObject({ gaps: 0, resyncs: 0 });
  });

  test("is shown in the view of the link, by doctor and in the log", () => {
    const { service, store, clock } = open(PERP.trades);
    service.alternate(PERP.trades, 10);
    const [row] = selectLinkRows(store, clock.now());
    expect(`${row?.previous}`).toContain("transaction before on the service");
    expect(selectLinkNotes(store, clock.now()).join(", ")).toContain("trades");
    expect(sequenceSeen([], store.counts)).toEqual([
      "warn",
      expect.stringContaining("trades: previous counts the transactions of the service"),
    ]);
    expect(store.log.lines.map(({ what }) => what)).toContain("numbering");
  });

  test("still drops nothing unseen that is not newer without a gap", () => {
    const { service, say, takeTold } = open(PERP.trades);
    service.alternate(PERP.trades, 10);
    takeTold();
    say(PERP.trades, [`${service.sequence - 6}`, `${service.sequence - 5}`], trades(999));
    expect(takeTold()).toEqual(["gap", "resync"]);
  });

  test("is refuted by one frame that names the one before it on its channel", () => {
    const { service, say, takeTold, state } = open(PERP.trades);
    service.alternate(PERP.trades, 10);
    takeTold();
    say(PERP.trades, [`${service.sequence}`, `${service.sequence + 7}`], trades(999));
    expect(takeTold()).toEqual(["numbering", "gap", "resync"]);
    expect(state(PERP.trades)).toBe("resync");
  });
});

test("a frame that is lost once in a thousand of a channel that every transaction changes stays a gap", () => {
  const { service, feed } = open(PERP.trades);
  for (let i = 1; i < 10_000; i++) service.transact(i % 1000 === 0 ? undefined : PERP.trades);
  expect(feed(PERP.trades)).toMatchObject({ gaps: 9, resyncs: 9 });
});

test("mismatches of another shape stay gaps", () => {
  const rig = openChainRig([PERP.trades]);
  rig.say(PERP.trades, [null, "100"], trades(1));
  for (let i = 1; i <= 8; i++) {
    rig.say(PERP.trades, [`${100 + i * 10 - 2}`, `${100 + i * 10}`], trades(i));
    rig.resubscribe(PERP.trades);
    rig.say(PERP.trades, [null, `${100 + i * 10}`], trades(i));
  }
  expect(rig.feed(PERP.trades)).toMatchObject({ gaps: 8, resyncs: 8 });
});
