// The soak: faults of all kinds against the ledger. Short here; `npm run soak` runs it until every kind has struck
// often enough, and prints what it counted.
import { describe, expect, test } from "vitest";
import { FAULT_KINDS } from "../../src/simulator/faults/fault-kinds.ts";
import { isSoak, report, SEED } from "../support/soak.ts";
import {
  CAMPAIGNS,
  type Campaign,
  CYCLE_MS,
  FINAL_STATUSES,
  PASSING_STATUSES,
} from "./campaigns.ts";
import { type Report, runSession } from "./session.ts";

/** Strikes of each kind in the long form. */
const MIN_STRIKES = isSoak ? 20 : 0;
/** Of all campaigns together. */
const MIN_TOTAL = isSoak ? 10_000 : 100;
const SESSION_MS = (isSoak ? 3 : 1) * CYCLE_MS;

/** Counts by name: strikes by kind, answers by what they were. */
type Counts = Map<string, number>;

function add(counts: Counts, more: ReadonlyMap<string, number>): void {
  for (const [name, count] of more) counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Answers that exports must meet as often. */
const STATUSES = [...PASSING_STATUSES, ...FINAL_STATUSES].map(String);

/** Those of the names that have come less often than is asked for. */
const seldom = (counts: ReadonlyMap<string, number>, names: readonly string[]) =>
  names.filter((name) => (counts.get(name) ?? 0) < MIN_STRIKES);

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

/** Runs sessions with one seed after the other until every kind has struck and every refusal was met often enough, in earlier campaigns or in this. */
async function runCampaign(campaign: Campaign) {
  const counts: Counts = new Map();
  const faults: string[] = [];
  const { least } = campaign;
  const kinds = campaign.faults.map(({ kind }) => kind);
  const statuses = kinds.includes("rest-error") ? STATUSES : [];
  const isEnough = () =>
    least === undefined || !isSoak
      ? seldom(strikes, kinds).length === 0 && seldom(met, statuses).length === 0
      : sum(counts) >= least;
  let checks = 0;
  let seed = SEED;
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
  return { counts, faults, checks, sessions: seed - SEED };
}

describe("what is shown as live is the exchange's own, and after a quiet minute all of it is", () => {
  test.each(CAMPAIGNS.filter(({ isShort }) => isSoak || isShort))(
    "while $name faults strike",
    async (campaign) => {
      const { counts, faults, checks, sessions } = await runCampaign(campaign);
      if (isSoak) {
        const facts = `${sum(counts)} faults in ${sessions} sessions, ${checks} checks`;
        process.stdout.write(`${campaign.name}: ${facts}: ${words(counts)}\n`);
      }
      expect(faults).toEqual([]);
      expect(sum(counts)).toBeGreaterThan(0);
    },
  );

  test("while thousands strike, each kind twenty times; or in the short form hundreds", () => {
    report(`all: ${sum(strikes)} faults: ${words(strikes)}`);
    expect(sum(strikes)).toBeGreaterThanOrEqual(MIN_TOTAL);
    expect(seldom(strikes, isSoak ? Object.keys(FAULT_KINDS) : [])).toEqual([]);
  });

  test.runIf(isSoak)(
    "and whole exports are the ledger's own, whatever the listings answer in between",
    () => {
      report(`${exported} whole exports, which met: ${words(met)}`);
      expect(exported).toBeGreaterThan(0);
      expect(seldom(met, STATUSES)).toEqual([]);
    },
  );
});

/** Without REST: the HTTP client has timers of its own. */
const REPEATED = CAMPAIGNS.filter(({ name }) =>
  isSoak ? name !== "listings" && name !== "storm" : name === "answers",
);

test.each(REPEATED)("the same seed prints the same while $name faults strike", async (campaign) => {
  const options = { seed: SEED, forMs: isSoak ? CYCLE_MS : 5_000 };
  const first = await runSession(campaign, options);
  expect(first.checks).toBeGreaterThan(0);
  expect((await runSession(campaign, options)).trace).toBe(first.trace);
});
