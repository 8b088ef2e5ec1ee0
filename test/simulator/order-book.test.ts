// The matching engine against the simplest thing that can be right: one list in order of arrival, searched from end to end.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Order,
  OrderBook,
  type OrderRequest,
  type Terms,
} from "../../src/simulator/exchange/order-book.ts";
import { runs } from "../support/soak.ts";

/** Somebody places an order, or cancels the one that was placed as the n-th. */
type Action = OrderRequest | number;

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      isBid: fc.boolean(),
      priceTicks: fc.integer({ min: 95, max: 105 }),
      sizeLots: fc.integer({ min: 1, max: 12 }),
      terms: fc.constantFrom<Terms>("post-only", "post-only", "ioc", "market"),
    }),
  },
  { weight: 2, arbitrary: fc.nat(100) },
);

class Engine {
  readonly orders: Order[] = [];
  readonly trades: string[] = [];
  readonly book = new OrderBook((maker, taker, lots) =>
    this.trades.push(`${maker.id} ${taker.id} ${maker.priceTicks} ${lots}`),
  );

  apply(step: Action): void {
    if (typeof step === "number") {
      const order = this.orders[step];
      if (order !== undefined) this.book.cancel(order);
      return;
    }
    const anyPrice = step.isBid ? Number.MAX_SAFE_INTEGER : 0;
    const priceTicks = step.terms === "market" ? anyPrice : step.priceTicks;
    const ids = { id: this.orders.length, clientOrderId: 0, account: 0, market: 0, createdAtUs: 0 };
    const state = { remainingLots: step.sizeLots, status: "open" as const, level: undefined };
    const order: Order = { ...step, ...ids, ...state, priceTicks };
    this.orders.push(order);
    this.book.submit(order);
  }

  resting() {
    return this.orders
      .filter(({ level }) => level !== undefined)
      .map(({ id, remainingLots }) => [id, remainingLots]);
  }

  /** Size by side and price. */
  levels() {
    return [true, false]
      .flatMap((isBid) => this.book.side(isBid))
      .map(({ isBid, priceTicks, sizeLots }) => [`${isBid} ${priceTicks}`, sizeLots]);
  }
}

class List {
  list: (OrderRequest & { readonly nth: number; left: number })[] = [];
  #placed = 0;
  readonly trades: string[] = [];

  apply(step: Action): void {
    if (typeof step === "number") {
      this.list = this.list.filter(({ nth }) => nth !== step);
      return;
    }
    const taker = { ...step, nth: this.#placed++, left: step.sizeLots };
    if (step.terms === "post-only" && this.#bestFor(taker) !== undefined) return;
    for (let maker = this.#bestFor(taker); maker && taker.left > 0; maker = this.#bestFor(taker)) {
      const traded = Math.min(taker.left, maker.left);
      this.trades.push(`${maker.nth} ${taker.nth} ${maker.priceTicks} ${traded}`);
      taker.left -= traded;
      maker.left -= traded;
      this.list = this.list.filter(({ left }) => left > 0);
    }
    if (step.terms === "post-only") this.list.push(taker);
  }

  #bestFor({ isBid, priceTicks, terms }: OrderRequest) {
    const sign = isBid ? 1 : -1;
    return this.list
      .filter((order) => order.isBid !== isBid)
      .filter((order) => terms === "market" || (priceTicks - order.priceTicks) * sign >= 0)
      .sort((a, b) => (a.priceTicks - b.priceTicks) * sign || a.nth - b.nth)[0];
  }
}

function foldTouched(sizes: Map<string, number>, book: OrderBook): void {
  for (const { isBid, priceTicks, sizeLots } of book.touched.values()) {
    if (sizeLots === 0) sizes.delete(`${isBid} ${priceTicks}`);
    else sizes.set(`${isBid} ${priceTicks}`, sizeLots);
  }
  book.touched.clear();
}

test("trades and rests as the list does, and names every level that changed with its new size", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 120, size: "max" }), (actions) => {
      const engine = new Engine();
      const list = new List();
      const sizes = new Map<string, number>();
      for (const [i, step] of actions.entries()) {
        engine.apply(step);
        list.apply(step);
        expect(engine.resting()).toEqual(list.list.map(({ nth, left }) => [nth, left]));
        if (i % 3 > 0) continue;
        foldTouched(sizes, engine.book);
        expect([...sizes].sort()).toEqual(engine.levels().sort());
      }
      expect(engine.trades).toEqual(list.trades);
    }),
    { numRuns: runs(100, 4000) },
  );
});
