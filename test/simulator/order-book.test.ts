import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Order,
  OrderBook,
  type OrderRequest,
  type Terms,
} from "../../src/simulator/exchange/order-book.ts";
import { runs } from "../support/soak.ts";

/** What somebody does: places an order, or cancels the order that was placed as the n-th. */
type Action =
  | { readonly kind: "place"; readonly request: OrderRequest }
  | { readonly kind: "cancel"; readonly nth: number };

const size = fc.integer({ min: 1, max: 12 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("place" as const),
      request: fc.record({
        isBid: fc.boolean(),
        priceTicks: fc.integer({ min: 95, max: 105 }),
        sizeLots: size,
        terms: fc.constantFrom<Terms>("limit", "limit", "limit", "post-only", "ioc", "market"),
        clientOrderId: fc.constant(0),
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), nth: fc.nat(100) }) },
);

/** The engine, driven by actions. */
class EngineRun {
  readonly orders: Order[] = [];
  readonly trades: string[] = [];
  readonly book = new OrderBook((maker, taker, lots) =>
    this.trades.push(`${maker.id} ${taker.id} ${maker.priceTicks} ${lots}`),
  );

  apply(step: Action): void {
    if (step.kind === "place") {
      const { request } = step;
      const anyPrice = request.isBid ? Number.MAX_SAFE_INTEGER : 0;
      const order: Order = {
        ...request,
        priceTicks: request.terms === "market" ? anyPrice : request.priceTicks,
        id: this.orders.length,
        account: 0,
        market: 0,
        createdAtUs: 0,
        remainingLots: request.sizeLots,
        status: "open",
        level: undefined,
      };
      this.orders.push(order);
      this.book.submit(order);
      return;
    }
    const order = this.orders[step.nth];
    if (order !== undefined) this.book.cancel(order);
  }

  levels(isBid: boolean): [number, number][] {
    const { levels } = this.book.side(isBid);
    return levels.map(({ priceTicks, sizeLots }): [number, number] => [priceTicks, sizeLots]);
  }

  /** What is left of each order that rests. */
  resting(): [number, number][] {
    return this.orders
      .filter(({ level }) => level !== undefined)
      .map(({ id, remainingLots }): [number, number] => [id, remainingLots]);
  }
}

interface Resting extends OrderRequest {
  readonly nth: number;
  left: number;
}

/** The simplest thing that can be right: one list in order of arrival, searched from end to end every time. */
class NaiveRun {
  #list: Resting[] = [];
  #placed = 0;
  readonly trades: string[] = [];

  apply(step: Action): void {
    if (step.kind === "place") this.#place({ ...step.request });
    else this.#list = this.#list.filter(({ nth }) => nth !== step.nth);
  }

  levels(isBid: boolean): [number, number][] {
    const sizes = new Map<number, number>();
    for (const { priceTicks, left } of this.#list.filter((order) => order.isBid === isBid)) {
      sizes.set(priceTicks, (sizes.get(priceTicks) ?? 0) + left);
    }
    return [...sizes].sort(([a], [b]) => (isBid ? a - b : b - a));
  }

  resting(): [number, number][] {
    return this.#list.map(({ nth, left }): [number, number] => [nth, left]);
  }

  #place(request: OrderRequest): void {
    const taker = { ...request, nth: this.#placed++, left: request.sizeLots };
    if (request.terms === "post-only" && this.#bestFor(taker) !== undefined) return;
    while (taker.left > 0) {
      const maker = this.#bestFor(taker);
      if (maker === undefined) break;
      const traded = Math.min(taker.left, maker.left);
      this.trades.push(`${maker.nth} ${taker.nth} ${maker.priceTicks} ${traded}`);
      taker.left -= traded;
      maker.left -= traded;
      this.#list = this.#list.filter(({ left }) => left > 0);
    }
    const rests = request.terms === "limit" || request.terms === "post-only";
    if (rests && taker.left > 0) this.#list.push(taker);
  }

  #bestFor({ isBid, priceTicks, terms }: OrderRequest): Resting | undefined {
    const sign = isBid ? 1 : -1;
    return this.#list
      .filter((order) => order.isBid !== isBid)
      .filter((order) => terms === "market" || (priceTicks - order.priceTicks) * sign >= 0)
      .sort((a, b) => (a.priceTicks - b.priceTicks) * sign || a.nth - b.nth)[0];
  }
}

test("trades and rests exactly as a list that is searched from end to end", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 120, size: "max" }), (actions) => {
      const engine = new EngineRun();
      const naive = new NaiveRun();
      for (const step of actions) {
        engine.apply(step);
        naive.apply(step);
        expect(engine.levels(true)).toEqual(naive.levels(true));
        expect(engine.levels(false)).toEqual(naive.levels(false));
      }
      expect(engine.trades).toEqual(naive.trades);
      expect(engine.resting()).toEqual(naive.resting());
    }),
    { numRuns: runs(100, 4000) },
  );
});

function foldTouched(folded: Map<string, number>, book: OrderBook): void {
  for (const { isBid, priceTicks, sizeLots } of book.touched()) {
    if (sizeLots === 0) folded.delete(`${isBid} ${priceTicks}`);
    else folded.set(`${isBid} ${priceTicks}`, sizeLots);
  }
  book.clearTouched();
}

test("names every level that changed, with the size that it has now", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(action, { maxLength: 6 }), { maxLength: 20, size: "max" }),
      (turns) => {
        const engine = new EngineRun();
        const folded = new Map<string, number>();
        for (const actions of turns) {
          for (const step of actions) engine.apply(step);
          foldTouched(folded, engine.book);
          const real = [true, false].flatMap((isBid) =>
            engine.levels(isBid).map(([price, lots]) => [`${isBid} ${price}`, lots]),
          );
          expect([...folded].sort()).toEqual(real.sort());
        }
      },
    ),
  );
});
