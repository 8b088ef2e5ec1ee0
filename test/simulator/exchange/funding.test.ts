import { expect, test } from "vitest";
import type { Exchange } from "../../../src/simulator/exchange/exchange.ts";
import { openWorld } from "../world-rig.ts";

const MINUTE_US = 60_000_000;

function fundingOf({ accounts }: Exchange): bigint[][] {
  return accounts.map(({ positions }) => positions.map(({ fundingAtoms }) => fundingAtoms));
}

/** What each account should have got at the last settlement: minus its position times mark price times rate. */
function expectedFunding({ accounts, markets }: Exchange): bigint[][] {
  return accounts.map(({ positions }) =>
    markets.map(({ index, spec, settledFunding }) => {
      const settled = settledFunding.at(-1);
      if (settled === undefined) return 0n;
      const ticks = BigInt(positions[index]?.lots ?? 0) * BigInt(settled.markTicks);
      return (-ticks * BigInt(spec.atomsPerTickLot) * settled.rate) / 10n ** 8n;
    }),
  );
}

test("every minute each account gets or pays what its position and the settled rate ask for, within the limit, by either sign", () => {
  const { simulation, catalogue } = openWorld(9);
  const { exchange } = simulation;
  for (let minute = 1; minute <= 20; minute++) {
    let before = fundingOf(exchange);
    let settlements = 0;
    simulation.runUntil(minute * MINUTE_US - 1);
    const stop = exchange.onTransaction((index) => {
      const after = fundingOf(exchange);
      if (
        exchange.markets[0]?.settledFunding.at(-1)?.timeUs === exchange.nowUs &&
        settlements === 0
      ) {
        expect(exchange.markets[0]?.fundingSequence).toBe(index);
        const paid = after.map((row, i) => row.map((atoms, j) => atoms - (before[i]?.[j] ?? 0n)));
        expect(paid).toEqual(expectedFunding(exchange));
        settlements++;
      } else {
        expect(after).toEqual(before);
      }
      before = after;
    });
    simulation.runUntil(minute * MINUTE_US);
    stop();
    expect(settlements).toBe(1);
  }
  expect(catalogue.accounts[0]?.fundingPayments.length).toBeGreaterThan(30);
  for (const { settledFunding } of exchange.markets.filter(({ isPerp }) => isPerp)) {
    const rates = settledFunding.map(({ rate }) => rate);
    expect(rates).toHaveLength(20);
    expect(rates.some((rate) => rate > 0n) && rates.some((rate) => rate < 0n)).toBe(true);
    expect(rates.every((rate) => rate <= 50_000n && rate >= -50_000n)).toBe(true);
  }
});
