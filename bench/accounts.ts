// 8: what accounts cost: 60 updates a second, folded and drawn, of one with 4,000 fills over one with none; and of sixteen
// subaccounts, in their overview, over one.
import type { Store } from "../src/state/store.ts";
import { ACCOUNT } from "../src/views/account.ts";
import { ACCOUNT_NAME, createFilledStore, fold } from "../test/views/filled-store.ts";
import { drawFrame, FRAME_MS, openScreen, type Rig, receiveMarket, START_MS } from "./market.ts";
import { compare, cpuMs, inTurns, type Row } from "./measure.ts";

const FILLS = 4000;
const FRAMES = 60;
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
  balances: [{ asset: "USDC", total: `${1_060_000 + n}.12`, available: "986015.75" }],
  positions: [
    {
      ...{ market_id: 1, side: "long", size: `0.${2000 + n}`, entry_price: "96971.15" },
      ...{ unrealized_pnl: `-${n}.25`, liquidation_price: "48210.00", margin: "2795.70" },
    },
  ],
  orders: Array.from({ length: 10 }, (_, i) => ({
    ...{ order_id: 100 + i, market_id: 1, side: "buy", price: `${96_950 - i}.00`, size: "0.05" },
    ...{ filled_size: `0.0${n % 5}`, order_type: "limit", created_at_ns: ns(-5000) },
  })),
});

/** CPU milliseconds of an update and of the frames that show it, again and again. */
function side(update: (n: number) => void, screens: readonly Rig[]): () => number {
  let n = 0;
  return () => {
    const before = cpuMs();
    for (let frame = 0; frame < FRAMES; frame++) {
      update(++n);
      for (const each of screens) drawFrame(each);
    }
    return (cpuMs() - before) / FRAMES;
  };
}

/** Of the market with its account, once these keys were typed. */
function open(store: Store, ...keys: readonly string[]): Rig {
  const rig = openScreen(store, { account: ACCOUNT_NAME });
  rig.type(...keys);
  return rig;
}

function storeWithout(channel: string) {
  const store = createFilledStore();
  store.states.delete(channel);
  store.channels.delete(channel);
  return store;
}

/** An account with so many fills, beside its market and alone. */
function traded(fills: number): () => number {
  const channel = `account/${ACCOUNT_NAME}`;
  const store = storeWithout(channel);
  const held = Array.from({ length: fills }, (_, n) => fillOf(n));
  fold(store, channel, { ...changesOf(0), fills: held });
  const update = (n: number) => {
    receiveMarket(store, n);
    const fill = n % 10 === 0 ? { fills: [fillOf(FILLS + n)] } : {};
    fold(store, channel, { ...changesOf(n), ...fill }, n * FRAME_MS);
  };
  return side(update, [open(store), open(store, ACCOUNT.key)]);
}

/** The overview of so many subaccounts, one of which is updated each time. */
function overview(count: number): () => number {
  const channel = `accounts/${ADDRESS}`;
  const store = storeWithout(channel);
  const entry = { status: "active", created_at_ns: ns(0) };
  const subaccounts = Array.from({ length: count }, (_, id) => ({ subaccount_id: id, ...entry }));
  fold(store, channel, { subaccounts, delegations: [] });
  const update = (n: number) =>
    fold(store, `account/${ADDRESS}/${n % count}`, changesOf(n), n * FRAME_MS);
  for (let n = 0; n < count; n++) update(n);
  return side(update, [open(store, ACCOUNT.key, "\u001b")]);
}

export async function measure(): Promise<readonly Row[]> {
  const fills = await inTurns(15, [traded(FILLS), traded(0)], 5);
  const subaccounts = await inTurns(15, [overview(16), overview(1)], 5);
  const what = "an update of an account with 4,000 fills, folded and drawn in two views";
  return [
    compare(what, "ms", fills, ["no fills", "≤", 1.25]),
    compare("the same of sixteen subaccounts in their overview", "ms", subaccounts, [
      "one",
      "≤",
      2,
    ]),
  ];
}
