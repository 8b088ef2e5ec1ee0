import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AccountLog } from "../../src/state/account-log.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

const aliases = new Aliases();
const createLog = () => new AccountLog(aliases, "fillId");

const START = 10n ** 18n;
const ns = (i: number) => `${START + BigInt(i)}`;

const withId = (i: number): OpenRecord => ({ trade_id: `${i}`, timestamp_ns: ns(i), px: "1" });
/** Several of one moment that look the same. */
const withoutId = (i: number): OpenRecord => ({ timestamp_ns: ns(Math.floor(i / 3)), px: "1" });
const withIds = (length: number) => Array.from({ length }, (_, i) => withId(i));
const newestFirst = (rows: readonly OpenRecord[]) => [...rows].reverse();

describe("fills and payments", () => {
  test.each([
    ["with ids", withId],
    ["without ids", withoutId],
  ])("%s are held once each, whatever a new subscription repeats", (_, rowOf) => {
    const cuts = fc.array(
      fc.record({ count: fc.nat(8), back: fc.nat(12), isNewestFirst: fc.boolean() }),
    );
    fc.assert(
      fc.property(cuts, (walk) => {
        const log = createLog();
        let sent = 0;
        for (const { count, back, isNewestFirst } of walk) {
          // Rows that look the same can be told apart only where all of a moment come together.
          const from = Math.floor(Math.max(0, sent - back) / 3) * 3;
          const list = Array.from({ length: sent + count - from }, (__, i) => rowOf(from + i));
          log.update(isNewestFirst ? newestFirst(list) : list, true);
          sent += count;
        }
        const all = Array.from({ length: sent }, (__, i) => rowOf(i));
        expect(log.rows).toEqual(newestFirst(all));
        expect(log.total).toBe(sent);
      }),
    );
  });

  test("later frames only add", () => {
    const log = createLog();
    expect(log.isReceived).toBe(false);
    log.update([withId(1)], true);
    log.update([withId(2), withId(3)], false);
    log.update([], false);
    expect(log.rows).toEqual([withId(3), withId(2), withId(1)]);
  });

  test("a row that comes again may say more than before", () => {
    const log = createLog();
    log.update([withId(1)], true);
    log.update([{ ...withId(1), fee: "0.1" }], false);
    expect(log.rows).toEqual([{ ...withId(1), fee: "0.1" }]);
    expect(log.total).toBe(1);
  });

  test("a trade with oneself is two fills: one for each side", () => {
    const log = createLog();
    const both = [
      { ...withId(1), side: "buy" },
      { ...withId(1), side: "sell" },
    ];
    log.update(both, true);
    log.update(both, true);
    expect(log.total).toBe(2);
  });

  test("says from when on rows may be missing, when nothing of what was held comes again", () => {
    const log = createLog();
    log.update([withId(1), withId(2)], true);
    log.update([withId(2), withId(3)], true);
    expect(log.mayMissBeforeNs).toBeUndefined();
    log.update([withId(50), withId(51)], true);
    expect(log.mayMissBeforeNs).toBe(START + 50n);
  });

  test("rows that audits take away are not counted any more", () => {
    const log = createLog();
    log.update([withId(1), withId(2)], true);
    log.update([withId(2)], false);
    expect([log.rows.length, log.total]).toEqual([3, 3]);
    const snapshot = [withId(1), withId(2)];
    expect(log.audit(snapshot).changed).toBeUndefined();
    expect(log.audit(snapshot).changed).toBe("later lists repeat rows");
    expect([log.rows.length, log.total]).toEqual([2, 2]);
  });

  test("a row whose fields come in another order is the same row", () => {
    const log = createLog();
    const row = withId(1);
    log.update([row], true);
    expect(log.audit([Object.fromEntries(Object.entries(row).reverse())]).differences).toEqual([]);
  });

  test("lets the oldest go when there are too many, and does not take them back as new", () => {
    const log = createLog();
    const all = withIds(6000);
    log.update(all, true);
    expect(log.rows).toHaveLength(5000);
    log.update(all, true);
    expect(log.rows).toHaveLength(5000);
    expect(log.total).toBe(6000);
  });

  test("lets the oldest go some at a time: mostly, a new row moves only one end", () => {
    const log = createLog();
    log.update(withIds(5400), true);
    let moved = 0;
    for (let i = 5400; i < 7400; i++) {
      const oldest = log.rows.at(-1);
      log.update([withId(i)], false);
      if (log.rows.at(-1) !== oldest) moved++;
      expect(log.rows.length).toBeLessThanOrEqual(5500);
    }
    expect(moved).toBe(4);
  });
});
