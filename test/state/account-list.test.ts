// One list of a subaccount against services that mean it in either way: what is held is what there is.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AccountList } from "../../src/state/account-list.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

const aliases = new Aliases();

const createList = () =>
  new AccountList({
    aliases,
    key: { scope: [["marketType"], ["market", "symbol"]], id: "orderId" },
    endOf: ({ status }) => (status === "filled" ? "ended" : "stands"),
  });

/** Orders of a market maker: some come, some change, some end with every step. */
interface Step {
  readonly add: number;
  readonly change: readonly number[];
  readonly end: readonly number[];
  /** Everything is sent anew. */
  readonly isFirst: boolean;
}

const place = fc.nat(20);
const steps = fc.array(
  fc.record({
    add: fc.nat(3),
    change: fc.array(place, { maxLength: 3 }),
    end: fc.array(place, { maxLength: 3 }),
    isFirst: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 40 },
);

/** A service that keeps orders and tells of them in its own way. */
class OrderService {
  readonly #isWhole: boolean;
  #orders = new Map<string, OpenRecord>();
  #next = 1;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  get orders(): readonly OpenRecord[] {
    return [...this.#orders.values()];
  }

  /** What it sends after a step; undefined when nothing has changed. */
  step({ add, change, end, isFirst }: Step): readonly OpenRecord[] | undefined {
    const told = new Map<string, OpenRecord>();
    const set = (row: OpenRecord, isOver = false) => {
      const id = String(row.order_id);
      if (isOver) this.#orders.delete(id);
      else this.#orders.set(id, row);
      told.set(id, row);
    };
    const touch = (at: number, isOver: boolean) => {
      const row = this.orders[at % Math.max(1, this.#orders.size)];
      const filled = `${Number(row?.filled) + 1}`;
      if (row !== undefined) set({ ...row, filled, status: isOver ? "filled" : "open" }, isOver);
    };
    for (let i = 0; i < add; i++) set({ order_id: `${this.#next++}`, filled: "0", status: "open" });
    for (const at of change) touch(at, false);
    for (const at of end) touch(at, true);
    if (isFirst || (this.#isWhole && told.size > 0)) return this.orders;
    return told.size === 0 ? undefined : [...told.values()];
  }
}

const sorted = (rows: readonly OpenRecord[]) =>
  rows.map((row) => JSON.stringify(row)).sort((a, b) => (a < b ? -1 : 1));

describe("a list of a subaccount", () => {
  test("holds exactly what there is, where later lists hold what has changed", () => {
    fc.assert(
      fc.property(steps, (walk) => {
        const service = new OrderService(false);
        const list = createList();
        for (const [i, step] of walk.entries()) {
          const rows = service.step(step);
          if (rows !== undefined) list.update(rows, step.isFirst, i);
          expect(sorted(list.rows)).toEqual(sorted(service.orders));
          expect(list.interpretation === "whole" && list.isDecided).toBe(false);
        }
      }),
    );
  });

  test("loses nothing where later lists are whole, and holds exactly what there is once that is proven", () => {
    fc.assert(
      fc.property(steps, (walk) => {
        const service = new OrderService(true);
        const list = createList();
        for (const [i, step] of walk.entries()) {
          const rows = service.step(step);
          if (rows !== undefined) list.update(rows, step.isFirst, i);
          expect(sorted(list.rows)).toEqual(expect.arrayContaining(sorted(service.orders)));
          const isWhole = list.interpretation === "whole";
          expect(list.isDecided).toBe(isWhole);
          expect(list.rows.length - service.orders.length).toBeLessThanOrEqual(isWhole ? 0 : 200);
        }
      }),
    );
  });

  test("finds whole lists out, when what they left out is gone from what is sent anew", () => {
    const service = new OrderService(true);
    const list = createList();
    const send = (step: Partial<Step>, at: number) => {
      const rows = service.step({ add: 0, change: [], end: [], isFirst: false, ...step });
      if (rows !== undefined) list.update(rows, step.isFirst ?? false, at);
    };
    send({ add: 12, isFirst: true }, 0);
    for (let i = 0; i < 8; i++) send({ add: 1, end: [0] }, 1000 + i);
    expect(list.interpretation).toBe("rows");
    expect(list.unnamed.size).toBe(8);
    expect(list.splitSinceMs).toBe(1000);
    send({ isFirst: true }, 2000);
    expect(list.interpretation).toBe("whole");
    send({ end: [0, 0] }, 3000);
    expect(sorted(list.rows)).toEqual(sorted(service.orders));
  });

  test.each([0, 1200])(
    "takes the decision back when a row comes again that it has dropped behind %i others",
    (others) => {
      const row = (id: number) => ({ order_id: `${id}`, status: "open" });
      const list = createList();
      list.update([row(1), row(2), row(3), row(4), row(5), row(6)], true, 0);
      for (let i = 0; i < 4; i++) list.update([row(1), row(2)], false, 1);
      list.update([row(1), row(2)], true, 2);
      list.update([row(1), row(2), row(7)], false, 3);
      expect(list.interpretation).toBe("whole");
      for (let i = 0; i < others; i++) list.update([row(1), row(2), row(100 + i)], false, 3);
      list.update([row(1)], false, 4);
      expect(list.rows).toEqual([row(1)]);
      for (let i = 0; i < 6; i++) {
        list.update([row(2)], false, 5);
        list.update([row(1)], false, 6);
      }
      expect(list.interpretation).toBe("rows");
    },
  );

  test("is found by whatever field tells rows apart, and in question where none does", () => {
    const list = createList();
    const row = (slot: number, v: string) => ({ slot, v });
    list.update([row(1, "a"), row(2, "a")], true, 0);
    expect(list.key).toBe("slot");
    list.update([row(2, "b")], false, 0);
    expect(list.rows).toEqual([row(1, "a"), row(2, "b")]);
    const blind = createList();
    blind.update([{ v: "a" }, { v: "a" }], true, 0);
    blind.update([{ v: "b" }], false, 0);
    expect(blind.rows).toEqual([{ v: "a" }, { v: "a" }, { v: "b" }]);
    expect(blind.inQuestion.size).toBe(3);
  });

  test("keeps the fields of a row that a later one leaves out, where that is a part of the row", () => {
    const list = createList();
    const other = { order_id: 2, px: "6" };
    list.update([{ order_id: 1, px: "5", note: "x" }, other], true, 0);
    list.update([{ order_id: 1, size: "9" }], false, 0);
    expect(list.rows[0]).toEqual({ order_id: 1, size: "9", px: "5", note: "x" });
  });

  test("survives a key that changes type, rows without one, and 30,000 rows", () => {
    const list = createList();
    list.update([{ order_id: 1 }, { order_id: 2 }], true, 0);
    list.update([{ order_id: "1", v: 2 }, { v: 3 }, { order_id: { deep: 1 } }], false, 0);
    expect(list.rows).toHaveLength(5);
    const many = Array.from({ length: 30_000 }, (_, i) => ({ order_id: `n${i}` }));
    list.update(many, true, 1);
    expect(list.rows).toHaveLength(20_000);
    expect(list.leftOut).toBe(10_000);
  });

  test("says that its rows are old when a new subscription has not sent it", () => {
    const list = createList();
    list.update([{ order_id: 1 }], true, 0);
    list.beginSnapshot();
    expect(list.isOld).toBe(true);
    list.update([{ order_id: 1 }], false, 0);
    expect(list.isOld).toBe(false);
  });
});
