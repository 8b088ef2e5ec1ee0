// A subaccount on the live session against the simulated exchange: positions, balances, orders and fills as they
// are folded, against each other, against the exchange's ledger, and against GET …/trades of the same subaccount.
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { accountChannel } from "../../src/select/account.ts";
import { ACCOUNT_LISTS } from "../../src/state/account.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import type { OpenRecord } from "../../src/wire/update.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { isSoak } from "../support/soak.ts";

const PASS_MS = isSoak ? 100_000 : 50_000;

type Rig = Awaited<ReturnType<typeof startLiveRig>>;
type Row = Readonly<Record<string, string>>;

const millionths = (text: string): bigint => {
  const sign = text.startsWith("-") ? -1n : 1n;
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  return sign * BigInt(whole + fraction.padEnd(6, "0"));
};

function watch({ stream, simulator }: Rig): string {
  const { address } = simulator.announcement.account;
  const channel = accountChannel({ address, subaccountId: "0" });
  stream.subscribe(channel);
  return channel;
}

function held({ store }: Rig, channel: string) {
  return store.slice("account", channel).data;
}

/** Signed sizes by market, as the ledger has them and as they are shown. */
function positionsOf({ simulator }: Rig): Record<string, string> {
  const { positions } = simulator.ledger.account(0);
  return Object.fromEntries(
    positions.filter(({ lots }) => lots !== 0).map(({ marketId, lots }) => [marketId, `${lots}`]),
  );
}

function shownPositions(rows: readonly OpenRecord[]): Record<string, string> {
  return Object.fromEntries(
    (rows as readonly Row[]).map(({ market_id = "", side, size_base_lots }) => [
      market_id,
      `${side === "short" ? "-" : ""}${size_base_lots}`,
    ]),
  );
}

/** Every fill of the subaccount that REST lists, newest first. */
async function listFills({ simulator }: Rig, count: number): Promise<TradeRecord[]> {
  const { base_url, account } = simulator.announcement;
  const url = `${base_url}/accounts/${account.owner}/subaccounts/${account.subaccount_id}/trades`;
  const response = await fetch(`${url}?limit=${Math.min(1000, count)}`);
  return (await response.json()) as TradeRecord[];
}

/** The side of the subaccount in a listed trade. */
function sideOf(record: TradeRecord, { simulator }: Rig): string {
  const { owner } = simulator.announcement.account;
  const isTaker = record.taker_address === owner && record.taker_subaccount_id === 0;
  return record.taker_is_bid === isTaker ? "buy" : "sell";
}

test("over a busy minute, positions, balances and fills agree with each other and with GET …/trades", async () => {
  const rig = await startLiveRig({ seed: 41, history: 3000 });
  const channel = watch(rig);
  await rig.pass(500);
  const before = shownPositions(held(rig, channel).lists.positions.rows);
  const cashBefore = millionths((held(rig, channel).lists.balances.rows[0] as Row).total ?? "");
  const fillsBefore = held(rig, channel).logs.fills.total;
  const paymentsBefore = held(rig, channel).logs.funding_payments.total;
  expect(before).toEqual(positionsOf(rig));
  await rig.pass(60_000, () => {
    expect(shownPositions(held(rig, channel).lists.positions.rows)).toEqual(positionsOf(rig));
  });
  const { logs, lists, summary } = held(rig, channel);
  const fills = logs.fills.rows.slice(0, logs.fills.total - fillsBefore) as readonly Row[];
  expect(fills.length).toBeGreaterThan(60);

  const records = await listFills(rig, fills.length);
  expect(fills.map(({ trade_id, side }) => [trade_id, side])).toEqual(
    records.map((record) => [record.trade_id, sideOf(record, rig)]),
  );

  // What each position has become is what its fills made of it.
  const moved = new Map(Object.entries(before).map(([market, lots]) => [market, BigInt(lots)]));
  for (const fill of fills) {
    // A trade with itself moves nothing.
    if (fill.market_type !== "perp" || fill.role === "both") continue;
    const lots = BigInt(fill.size_base_lots ?? "") * (fill.side === "buy" ? 1n : -1n);
    moved.set(`${fill.market_id}`, (moved.get(`${fill.market_id}`) ?? 0n) + lots);
  }
  const open = [...moved].filter(([, lots]) => lots !== 0n).map(([id, lots]) => [id, `${lots}`]);
  expect(shownPositions(lists.positions.rows)).toEqual(Object.fromEntries(open));

  // The money is that of the ledger, and the summary has what the positions have earned.
  const cash = millionths((lists.balances.rows[0] as Row).total ?? "");
  expect(cash).toBe(rig.simulator.ledger.account(0).quoteAtoms);
  expect(cash).not.toBe(cashBefore);
  // A position that has turned may be one or two until an audit says which: the newest of a market is what there is.
  const newest = new Map(
    (lists.positions.rows as readonly Row[]).map((row) => [row.market_id, row]),
  );
  const unrealised = [...newest.values()].reduce(
    (sum, row) => sum + millionths(row.unrealized_pnl ?? ""),
    0n,
  );
  const { unrealized_pnl } = summary as Row;
  expect(millionths(unrealized_pnl ?? "")).toBe(unrealised);
  expect(logs.funding_payments.total).toBeGreaterThan(paymentsBefore);
});

/** All lists of a first frame that is sent to somebody else at this moment, without times of change. */
async function listsNow({ simulator }: Rig, channel: string) {
  // A client that shares nothing with the program.
  const socket = new WebSocket(simulator.announcement.ws_url);
  socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", channel }));
  const other = await new Promise<Record<string, readonly OpenRecord[]>>((resolve) => {
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(String(data));
      if (frame.type === "update") resolve(frame);
    };
  });
  socket.close();
  return Object.fromEntries(ACCOUNT_LISTS.map((name) => [name, timeless(other[name] ?? [])]));
}

function timeless(rows: readonly OpenRecord[]): readonly string[] {
  return rows
    .map((row) => JSON.stringify({ ...row, updated_at_ns: undefined }))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** What a list leaves out is in question until the next audit. */
async function passQuestions(rig: Rig, channel: string): Promise<void> {
  const isOpen = () =>
    ACCOUNT_LISTS.some(
      (name) => name !== "positions" && held(rig, channel).lists[name].inQuestion.size > 0,
    );
  for (let i = 0; i < 240 && isOpen(); i++) await rig.pass(500);
}

describe("the folded lists are those that the service would send anew", () => {
  test.each([
    ["changed rows", { readings: { account_lists: "changed-rows" } }, "rows"],
    ["all lists", { readings: { account_lists: "everything" } }, "whole"],
    ["lost frames", "gaps", "rows"],
    ["lost connections", "drops", "rows"],
  ] as const)("from a service with %s", async (_, scenario, interpretation) => {
    const rig = await startLiveRig({ scenario, seed: 42, history: 2000 });
    const channel = watch(rig);
    await rig.pass(PASS_MS);
    const slice = rig.store.slice("account", channel);
    for (let i = 0; i < 40 && !/live|quiet/.test(rig.store.paneState(slice, rig.clock.now())); i++)
      await rig.pass(500);
    await passQuestions(rig, channel);
    const { lists, logs } = held(rig, channel);
    const truth = await listsNow(rig, channel);
    for (const name of ACCOUNT_LISTS) {
      // A position that has turned may be one or two: rows in question are more than there are, never fewer.
      const { rows, inQuestion } = lists[name];
      const sure = timeless(rows.filter((row) => !inQuestion.has(row)));
      expect([name, truth[name]]).toEqual([name, expect.arrayContaining([...sure])]);
      expect([name, timeless(rows)]).toEqual([
        name,
        expect.arrayContaining([...(truth[name] ?? [])]),
      ]);
      if (name !== "positions") expect([name, sure]).toEqual([name, truth[name]]);
    }
    expect(lists.orders).toMatchObject({ interpretation, isDecided: true });
    const ids = (logs.fills.rows as readonly Row[]).map(({ trade_id }) => trade_id);
    expect(new Set(ids).size).toBe(ids.length);
    const all = rig.simulator.ledger.fills(0).map(({ record }) => record.trade_id);
    if (logs.fills.mayMissBeforeNs === undefined) {
      expect(ids).toEqual(all.slice(-ids.length).reverse());
    }
  });
});
