// Random transactions, numbered, split, repeated, reordered and lost in every way at once: the chain of one channel drops
// nothing that it has not seen without a gap, and where frames name the one before them it misses no loss.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Numbering } from "../../src/stream/numbering.ts";
import { SequenceChain } from "../../src/stream/sequence-chain.ts";
import { runs } from "../support/soak.ts";

interface Transaction {
  /** Numbers between it and the one before. */
  readonly step: number;
  readonly parts: number;
  /** Lost as a whole, sent twice, or sent behind the one that follows. */
  readonly fate: "sent" | "lost" | "twice" | "late" | "again-much-later";
}

const numberings = ["channel", "service", "null", "unnumbered"] as const;
const splits = ["held", "before", "count"] as const;

const service: fc.Arbitrary<Service> = fc.record({
  numbering: fc.constantFrom(...numberings),
  split: fc.constantFrom(...splits),
  restartsAt: fc.option(fc.nat({ max: 40 })),
  transactions: fc.array(
    fc.record({
      step: fc.constantFrom(1, 1, 1, 2, 7),
      parts: fc.constantFrom(1, 1, 2, 3),
      fate: fc.constantFrom<Transaction["fate"]>(
        ...(["sent", "sent", "sent", "sent", "sent", "lost", "twice", "late"] as const),
        "again-much-later",
      ),
    }),
    { maxLength: 60 },
  ),
});

interface Service {
  readonly numbering: (typeof numberings)[number];
  readonly split: (typeof splits)[number];
  readonly restartsAt: number | null;
  readonly transactions: readonly Transaction[];
}

interface Frame {
  readonly previous_sequence: string | null;
  readonly sequence: string | null;
  readonly timestamp_ns: string;
  readonly id: number;
  /** The transaction, by its place, and the one before it that was not lost. */
  readonly at: number;
}

function framesOf({ numbering, split, restartsAt, transactions }: Service): Frame[][] {
  let sequence = 100;
  let held = sequence;
  let id = 0;
  return transactions.map(({ step, parts }, at): Frame[] => {
    if (at === restartsAt) sequence = 0;
    sequence += step;
    const before = { channel: held, service: sequence - 1, null: null, unnumbered: null }[
      numbering
    ];
    held = sequence;
    const previousOf = (part: number) => {
      if (part === 0 || before === null) return before;
      return { held: sequence, before, count: part - 1 }[split];
    };
    return Array.from({ length: parts }, (_, part) => {
      const previous = previousOf(part);
      return {
        previous_sequence: previous === null ? null : `${previous}`,
        sequence: numbering === "unnumbered" ? null : `${sequence}`,
        timestamp_ns: `${1000 + at}`,
        id: id++,
        at,
      };
    });
  });
}

/** In the order in which they arrive. */
function arrivals(given: Service): Frame[] {
  const sent: Frame[] = [];
  let behind: Frame[] = [];
  const later: Frame[] = [];
  for (const [at, frames] of framesOf(given).entries()) {
    const { fate } = given.transactions[at] as Transaction;
    if (fate === "lost") continue;
    if (fate === "late") {
      behind.push(...frames);
      continue;
    }
    sent.push(...frames, ...(fate === "twice" ? frames : []), ...behind);
    if (fate === "again-much-later") later.push(...frames);
    behind = [];
  }
  return [...sent, ...behind, ...later];
}

/** A client that begins a new subscription at each gap. */
class Client {
  /** Frames that were dropped without having been seen, and are in no first frame. */
  readonly dropped: string[] = [];
  readonly #chain = new SequenceChain(new Numbering());
  readonly #seen = new Set<number>();
  /** The transaction as of which the subscription began; undefined while it has not. */
  #wholeAt: number | undefined;

  receive(frame: Frame): void {
    if (this.#wholeAt === undefined) this.#begin(frame);
    else this.#advance(frame, this.#wholeAt);
    this.#seen.add(frame.id);
  }

  #begin(frame: Frame): void {
    this.#chain.restart();
    this.#chain.begin({ ...frame, previous_sequence: null }, `first ${frame.id}`);
    this.#wholeAt = frame.at;
  }

  #advance(frame: Frame, wholeAt: number): void {
    const message = JSON.stringify(frame);
    const verdict = this.#chain.advance(frame, message);
    const isDropped = verdict === "repeat" || verdict === "late";
    const isHeld = this.#seen.has(frame.id) || frame.at <= wholeAt;
    if (isDropped && !isHeld) this.dropped.push(`${verdict} ${message}`);
    if (["gap", "stray", "unsure"].includes(verdict)) this.#wholeAt = undefined;
  }
}

function droppedUnseen(given: Service): readonly string[] {
  const client = new Client();
  for (const frame of arrivals(given)) client.receive(frame);
  return client.dropped;
}

test("nothing unseen is dropped without a gap, whatever the numbers are", () => {
  fc.assert(
    fc.property(service, (given) => {
      expect(droppedUnseen(given)).toEqual([]);
    }),
    { numRuns: runs(600, 30_000) },
  );
});

test("where each frame names the one before it, no transaction is missed without a gap", () => {
  const jumps = fc.record({
    transactions: fc.array(
      fc.record({
        step: fc.constantFrom(2, 3, 7),
        isLost: fc.boolean(),
        parts: fc.nat({ max: 2 }),
      }),
      { maxLength: 60 },
    ),
    split: fc.constantFrom(...splits),
  });
  fc.assert(
    fc.property(jumps, ({ transactions, split }) => {
      const all = framesOf({
        numbering: "channel",
        split,
        restartsAt: null,
        transactions: transactions.map(({ step, parts }) => ({
          step,
          parts: parts + 1,
          fate: "sent",
        })),
      });
      const chain = new SequenceChain(new Numbering());
      chain.begin({ previous_sequence: null, sequence: "100", timestamp_ns: "1" }, "first");
      let wasLost = false;
      for (const [at, frames] of all.entries()) {
        const { isLost } = transactions[at] as { isLost: boolean };
        if (!isLost) {
          const verdicts = frames.map((frame) => chain.advance(frame, JSON.stringify(frame)));
          expect(verdicts[0]).toBe(wasLost ? "gap" : "next");
          expect(verdicts.slice(1).every((verdict) => verdict === "part")).toBe(true);
        }
        wasLost = isLost;
      }
    }),
  );
});
