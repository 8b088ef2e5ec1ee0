// 8: what accounts cost: 60 updates a second, folded and drawn, of one with 4,000 fills over one with none; and of sixteen
// subaccounts, in their overview, over one.
import type { Store } from "../src/state/store.ts";
import { ACCOUNT } from "../src/views/account.ts";
import { VIEWS } from "../src/views/views.ts";
import { openRig } from "../test/screen/rig.tsx";
import { ACCOUNT_NAME, createFilledStore, fold } from "../test/views/filled-store.ts";
import { FRAME_MS, receiveMarket } from "./market.ts";
import { cpuMs, inTurns, median, medianRatio, type Row } from "./measure.ts";

const FILLS = 4000;
const ORDERS = 10;
const FRAMES = 60;
const START_MS = Date.UTC(2026, 0, 1);
const [ADDRESS = ""] = ACCOUNT_NAME.split("/");

const ns = (ms: number) => `${START_MS + ms}000000`;

const fillOf = (n: number) => ({
  ...{ trade_id: 1000 + n, market_id: 1, side: n % 2 ? "buy" : "sell", size: "0.0101" },
  ...{ price: `${96_960 + ((n * 7919) % 97)}.50`, fee: "0.30", role: "taker" },
  ...{ realized_pnl: "1.10", timestamp_ns: ns((n - FILLS) * 250) },
});

/** What changes with each update of an account that trades. */
const changesOf = (n: number) => ({
  account: { equity: `${1_059_000 + n}.67`, free_collateral: "986015.75", margin_used: "3414.70" },
  positions: [
    {
      ...{ market_id: 1, side: "long", size: `0.${2000 + n}`, entry_price: "96971.15" },
      ...{ unrealized_pnl: `-${n}.25`, liquidation_price: "48210.00", margin: "2795.70" },
    },
  ],
  orders: Array.from({ length: ORDERS }, (_, i) => ({
    ...{ order_id: 100 + i, market_id: 1, side: "buy", price: `${96_950 - i}.00`, size: "0.05" },
    ...{ filled_size: `0.0${n % 5}`, order_type: "limit", created_at_ns: ns(-5000) },
  })),
  balances: [{ asset: "USDC", total: `${1_060_000 + n}.12`, available: "986015.75" }],
});

type Rig = ReturnType<typeof openRig>;

function rigOf(store: Store, ...keys: readonly string[]): Rig {
  const rig = openRig({ views: VIEWS, store, columns: 120, rows: 40, account: ACCOUNT_NAME });
  rig.type(...keys);
  return rig;
}

/** CPU milliseconds of an update and of the frames that show it, again and again. */
function frames(update: (n: number) => void, rigs: readonly Rig[]): () => number {
  let n = 0;
  return () => {
    const before = cpuMs();
    for (let frame = 0; frame < FRAMES; frame++) {
      update(++n);
      for (const { clock, terminal } of rigs) {
        clock.advance(FRAME_MS);
        terminal.screen.frameNow(true);
      }
    }
    return (cpuMs() - before) / FRAMES;
  };
}

/** An account with so many fills, beside its market and alone. */
function traded(fills: number): () => number {
  const store = createFilledStore();
  const channel = `account/${ACCOUNT_NAME}`;
  store.states.delete(channel);
  store.channels.delete(channel);
  const held = Array.from({ length: fills }, (_, n) => fillOf(n));
  fold(store, channel, { ...changesOf(0), fills: held });
  const update = (n: number) => {
    receiveMarket(store, n);
    const fill = n % 10 === 0 ? { fills: [fillOf(FILLS + n)] } : {};
    fold(store, channel, { ...changesOf(n), ...fill }, n * FRAME_MS);
  };
  return frames(update, [rigOf(store), rigOf(store, ACCOUNT.key)]);
}

/** The overview of so many subaccounts, of which one is updated each time. */
function overview(count: number): () => number {
  const store = createFilledStore();
  const subaccounts = Array.from({ length: count }, (_, subaccount_id) => ({
    ...{ subaccount_id, status: "active", created_at_ns: ns(0) },
  }));
  const accounts = `accounts/${ADDRESS}`;
  store.states.delete(accounts);
  store.channels.delete(accounts);
  fold(store, accounts, { subaccounts, delegations: [] });
  const update = (n: number) =>
    fold(store, `account/${ADDRESS}/${n % count}`, changesOf(n), n * FRAME_MS);
  for (let n = 0; n < count; n++) update(n);
  return frames(update, [rigOf(store, ACCOUNT.key, "\u001b")]);
}

async function compare(
  what: string,
  sides: readonly [name: string, side: () => number][],
  most: number,
): Promise<Row> {
  const [costs = [], others = []] = await inTurns(
    15,
    sides.map(([, side]) => side),
    5,
  );
  return {
    ...{ what, unit: "ms", ours: median(costs), ratio: medianRatio(costs, others) },
    other: { name: sides[1]?.[0] ?? "", value: median(others) },
    goal: ["ratio", "≤", most],
  };
}

export async function measure(): Promise<readonly Row[]> {
  return [
    await compare(
      "an update of an account with 4,000 fills, folded and drawn in two views, over none",
      [
        ["4,000 fills", traded(FILLS)],
        ["no fills", traded(0)],
      ],
      1.25,
    ),
    await compare(
      "an update of one of sixteen subaccounts, folded and drawn, over a single one",
      [
        ["sixteen", overview(16)],
        ["one", overview(1)],
      ],
      2,
    ),
  ];
}
