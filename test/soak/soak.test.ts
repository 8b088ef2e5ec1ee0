// The soak: faults of all kinds against the ledger. Short here; `npm run soak` runs it until every kind has struck
// often enough, and prints what it counted.
import { describe, expect, test } from "vitest";
import { FAULT_KINDS } from "../../src/simulator/faults/fault-kinds.ts";
import {
  CAMPAIGNS,
  type Campaign,
  CYCLE_MS,
  FINAL_STATUSES,
  PASSING_STATUSES,
} from "./campaigns.ts";
import { type Report, runSession } from "./session.ts";

const isLong = process.env.MONITOR_SOAK === "long";
/** Strikes of each kind in the long form. */
const MIN_STRIKES = isLong ? 100 : 0;
/** Of all campaigns together. */
const MIN_TOTAL = isLong ? 10_000 : 500;
const FIRST_SEED = Number(process.env.MONITOR_SEED ?? 1);
const SESSION_MS = (isLong ? 3 : 1) * CYCLE_MS;
const HOUR_MS = 3_600_000;

/** Counts by name: strikes by kind, answers by what they were. */
type Counts = Map<string, number>;

function add(counts: Counts, more: ReadonlyMap<string, number>): void {
  for (const [name, count] of more) counts.set(name, (counts.get(name) ?? 0) + count);
}

const sum = (counts: Counts) => [...counts.values()].reduce((a, b) => a + b, 0);
const words = (counts: Counts) => [...counts].map((each) => each.join(" ")).join(", ");

/** Of all campaigns. */
const strikes: Counts = new Map();
const met: Counts = new Map();
let exported = 0;

const faultsOf = ({ lies, wrong, links, listed }: Report) => [
  ...lies,
  ...wrong,
  ...links,
  ...listed,
];

/** Runs sessions with one seed after the other until every kind has struck often enough, in earlier campaigns or in this. */
async function runCampaign(campaign: Campaign) {
  const counts: Counts = new Map();
  const faults: string[] = [];
  const { least } = campaign;
  const isEnough = () =>
    least === undefined || !isLong
      ? campaign.faults.every(({ kind }) => (strikes.get(kind) ?? 0) >= MIN_STRIKES)
      : sum(counts) >= least;
  let checks = 0;
  let seed = FIRST_SEED;
  do {
    const report = await runSession(campaign, { seed, forMs: SESSION_MS });
    add(counts, report.strikes);
    add(strikes, report.strikes);
    add(met, report.met);
    exported += report.exports;
    checks += report.checks;
    faults.push(...faultsOf(report).map((fault) => `seed ${seed}: ${fault}`));
    seed++;
  } while (!isEnough() && faults.length === 0);
  return { counts, faults, checks, sessions: seed - FIRST_SEED };
}

describe("what is shown as live is the exchange's own, and after a quiet minute all of it is", () => {
  test.each(CAMPAIGNS.filter(({ isShort }) => isLong || isShort))(
    "while $name faults strike",
    isLong ? { timeout: HOUR_MS } : {},
    async (campaign) => {
      const { counts, faults, checks, sessions } = await runCampaign(campaign);
      if (isLong) {
        const facts = `${sum(counts)} faults in ${sessions} sessions, ${checks} checks`;
        process.stdout.write(`${campaign.name}: ${facts}: ${words(counts)}\n`);
      }
      expect(faults).toEqual([]);
      expect(sum(counts)).toBeGreaterThan(0);
    },
  );

  test("while thousands strike, each kind a hundred times; or in the short form hundreds", () => {
    if (isLong) process.stdout.write(`all: ${sum(strikes)} faults: ${words(strikes)}\n`);
    expect(sum(strikes)).toBeGreaterThanOrEqual(MIN_TOTAL);
    const kinds = isLong ? Object.keys(FAULT_KINDS) : [];
    expect(kinds.filter((kind) => (strikes.get(kind) ?? 0) < MIN_STRIKES)).toEqual([]);
  });

  test("and whole exports are the ledger's own, whatever the listings answer in between", () => {
    if (isLong) process.stdout.write(`${exported} whole exports, which met: ${words(met)}\n`);
    expect(exported).toBeGreaterThan(0);
    const statuses = [...PASSING_STATUSES, ...FINAL_STATUSES].map(String);
    expect(statuses.filter((status) => (met.get(status) ?? 0) < MIN_STRIKES)).toEqual([]);
  });
});

/** Without REST: the HTTP client has timers of its own. */
const REPEATED = CAMPAIGNS.filter(({ name }) =>
  isLong ? name !== "listings" && name !== "storm" : name === "answers",
);

test.each(REPEATED)(
  "the same seed prints the same while $name faults strike",
  isLong ? { timeout: HOUR_MS } : {},
  async (campaign) => {
    const options = { seed: FIRST_SEED, forMs: isLong ? CYCLE_MS : 10_000 };
    const first = await runSession(campaign, options);
    expect(first.checks).toBeGreaterThan(0);
    expect((await runSession(campaign, options)).trace).toBe(first.trace);
  },
);
