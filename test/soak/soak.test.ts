// The soak: faults of all kinds against the ledger. Short here; `npm run soak` runs it until every kind has struck
// often enough, and prints what it counted.
import { describe, expect, test } from "vitest";
import type { FaultName } from "../../src/simulator/faults/fault-kinds.ts";
import { CAMPAIGNS, type Campaign } from "./campaigns.ts";
import { runSession } from "./session.ts";

const isLong = process.env.MONITOR_SOAK === "long";
/** Strikes of each kind in the long form, and of all together in each campaign. */
const MIN_STRIKES = isLong ? 100 : 0;
const MIN_TOTAL = isLong ? 1000 : 0;
const FIRST_SEED = Number(process.env.MONITOR_SEED ?? 1);
const CYCLES = isLong ? 5 : 1;
const HOUR_MS = 3_600_000;

/** Runs sessions with one seed after the other until every kind has struck often enough. */
async function runCampaign(campaign: Campaign) {
  const strikes = new Map<FaultName, number>();
  const wanted = new Set(campaign.faults.map((fault) => (fault as { kind: FaultName }).kind));
  const faults: string[] = [];
  let checks = 0;
  const isEnough = () => {
    const counts = [...wanted].map((kind) => strikes.get(kind) ?? 0);
    return Math.min(...counts) >= MIN_STRIKES && counts.reduce((a, b) => a + b, 0) >= MIN_TOTAL;
  };
  let seed = FIRST_SEED;
  do {
    const report = await runSession(campaign, { seed, cycles: CYCLES });
    for (const [kind, count] of report.strikes) strikes.set(kind, (strikes.get(kind) ?? 0) + count);
    checks += report.checks;
    const all = [...report.lies, ...report.wrong, ...report.links];
    faults.push(...all.map((fault) => `seed ${seed}: ${fault}`));
    seed++;
  } while (!isEnough() && faults.length === 0);
  return { strikes, faults, checks };
}

/** Of all campaigns of the short form together. */
const MIN_SHORT_TOTAL = 500;
let struck = 0;

describe("what is shown as live is the exchange's own, and after a quiet minute all of it is", () => {
  test.each(CAMPAIGNS.filter(({ isShort }) => isLong || isShort))(
    "while $name faults strike",
    isLong ? { timeout: HOUR_MS } : {},
    async (campaign) => {
      const { strikes, faults, checks } = await runCampaign(campaign);
      const counts = [...strikes].map(([kind, count]) => `${kind} ${count}`).join(", ");
      const total = [...strikes.values()].reduce((a, b) => a + b, 0);
      if (isLong)
        process.stdout.write(`${campaign.name}: ${total} faults, ${checks} checks: ${counts}\n`);
      expect(faults).toEqual([]);
      expect(total).toBeGreaterThan(0);
      struck += total;
    },
  );

  test("while thousands strike, or in the short form hundreds", () => {
    expect(struck).toBeGreaterThanOrEqual(isLong ? MIN_TOTAL * CAMPAIGNS.length : MIN_SHORT_TOTAL);
  });
});
