// Trades, Liquidations, Fills and their statement over listings that a service of the test's own serves.
import { expect, onTestFinished, test } from "vitest";
import { RequestBudget } from "../../src/listing/request-budget.ts";
import { createListings } from "../../src/live/listings.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import { FILLS } from "../../src/views/fills.ts";
import { LIQUIDATIONS } from "../../src/views/liquidations.ts";
import { TRADES } from "../../src/views/trades.ts";
import { openRig } from "../screen/rig.tsx";
import { type ListingOptions, OWNER, serveListing } from "../support/composed-listing.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { createFilledStore } from "./filled-store.ts";

const END = "\u001b[F";

async function open(view: typeof TRADES, served: Partial<ListingOptions>) {
  const service = await serveListing(served);
  let onChange = () => {};
  const rig = openRig({
    ...{ views: [view], store: createFilledStore(), columns: 140, rows: 30 },
    openListings(clock) {
      const listings = createListings({
        ...{
          baseUrl: service.baseUrl,
          headers: {},
          random: () => 0.5,
          clock: { ...clock, soon: systemClock.soon },
          budget: new RequestBudget(clock, 100),
        },
        ...{ owner: { owner: OWNER, subaccountId: 1 }, folder: undefined },
        onChange: () => onChange(),
      });
      onTestFinished(listings.close);
      return listings;
    },
  });
  onTestFinished(() => rig.terminal.close());
  /** Draws after each change until the words are there. */
  const until = async (words: RegExp): Promise<string> => {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        onChange = resolve;
      });
      const text = await rig.screen();
      if (words.test(text)) return text;
      await changed;
    }
  };
  return { ...rig, service, until };
}

const linesOf = (text: string) =>
  text.split("\n").filter((line) => /20\d\d-\d\d-\d\d|\d\d-\d\d \d\d:/.test(line));

test("trades come from the newest down, older ones at the end of the table, to the proof that it is all", async () => {
  const { service, until, type } = await open(TRADES, { transactions: 700 });
  let text = await until(/no gap so far/);
  expect(text).toContain("Trades 300 ≡ listed 0.0 s BTC-PERP");
  const [newest] = service.rows;
  const [line = ""] = linesOf(text);
  expect(line).toContain(newest?.taker_is_bid ? " buy " : " sell ");
  expect(line.replaceAll(",", "")).toContain(String(newest?.price));
  while (!text.includes("all of it")) {
    type(END);
    text = await until(/no gap so far|all of it/);
  }
  expect(text).toContain("Trades 700 ≡ listed 0.0 s BTC-PERP");
  expect(text).toMatch(/all of it, no gap: pages overlap by trade_id; nothing/);
});

test("newer trades come above by themselves while they are shown", async () => {
  const { service, until, clock } = await open(TRADES, { transactions: 60 });
  await until(/Trades 60 /);
  const more = listedTrade({ trade_id: "9999999", timestamp_ms: 1_770_000_000_000, price: "4711" });
  service.insteadOf = (_, __, page) => [200, JSON.stringify([more, ...page])];
  clock.advance(10_000);
  const [line] = linesOf(await until(/Trades 61 /));
  expect(line).toContain("4,711");
});

test("what fails is said with when it is tried again, and then is", async () => {
  const { service, until, clock } = await open(TRADES, { transactions: 60 });
  const answer = service.insteadOf;
  service.insteadOf = () => [403, "who are you?"];
  expect(await until(/not up to date/)).toMatch(/again in (?:9|10).*403: who are you\?/);
  service.insteadOf = answer;
  clock.advance(10_000);
  await until(/Trades 60 /);
});

test("a frozen screen has the rows of its moment, and says that they are", async () => {
  const { service, until, clock, type, screen } = await open(TRADES, { transactions: 60 });
  await until(/Trades 60 /);
  type("f");
  const timestamp_ms = clock.wall() + 5000;
  const more = listedTrade({ trade_id: "9999999", timestamp_ms });
  service.insteadOf = (_, __, page) => [200, JSON.stringify([more, ...page])];
  clock.advance(10_000);
  expect(await until(/as it was listed/)).toContain("Trades 60 ");
  type("f");
  await until(/Trades 61 /);
  type("f");
  expect(await screen()).toContain("Trades 61 ");
});

test("liquidations have a row for each position, valued at the price of its own market alone", async () => {
  const { service, until } = await open(LIQUIDATIONS, { kind: "liquidations", transactions: 12 });
  const text = await until(/all of it/);
  const positions = service.rows.flatMap(({ positions: all }) => all as { size: string }[]);
  expect(text).toContain(`Liquidations ${positions.length} ≡ listed`);
  expect(linesOf(text)).toHaveLength(Math.min(26, positions.length));
  // Of one coin.
  expect(linesOf(text)[0]).toMatch(/ perp\/1 +long +1 +– +96,96\d\.\d\d +partial +−2\.00 /);
  for (const line of linesOf(text)) expect(line).toMatch(/ perp\/1 .* – +\d|perp\/[02] .* – +– /);
});

test("fills have what was paid and received, and the mask hides sizes, sums and the owner", async () => {
  const { until, type, screen } = await open(FILLS, { kind: "fills", transactions: 9 });
  const text = await until(/all of it/);
  expect(text).toContain("Fills 9 ≡ listed 0.1 s 0xcdcd…cdcd/1");
  for (const line of linesOf(text)) expect(line).toMatch(/\+0\.\d+ +maker|−\d.* taker/);
  expect(text).toMatch(/fees of 9 [+−][\d.,]+ {2}realised [+−][\d.,]+ {2}all of it/);
  type("p");
  const masked = await screen();
  expect(masked).not.toMatch(/0xcdcd|[+−]\d/);
  expect(masked).toMatch(/fees of 9 ••• {2}realised •••/);
});

test("K shows the statement of all fills by day and market, the newest day first, with its sums", async () => {
  const { service, until, type } = await open(FILLS, { kind: "fills", transactions: 0 });
  const day = (n: number) => Date.UTC(2026, 4, n);
  const own = { taker_address: OWNER, taker_subaccount_id: 1, taker_fee_quote: "0.5" };
  const sold = { taker_is_bid: false, price: "90", quote_notional: "90" };
  const ledger = [
    listedTrade({ ...own, ...sold, trade_id: "3", timestamp_ms: day(2) }),
    listedTrade({ ...own, trade_id: "2", timestamp_ms: day(1), price: "80", quote_notional: "80" }),
  ];
  service.insteadOf = (_, query) => {
    const before = Number(query.get("before") ?? Number.MAX_SAFE_INTEGER);
    return [200, JSON.stringify(ledger.filter(({ trade_id }) => Number(trade_id) < before))];
  };
  await until(/all of it/);
  type("K");
  const text = await until(/all fills:/);
  const [second = "", first = ""] = linesOf(text);
  expect(second).toMatch(/2026-05-02 +BTC-PERP +1 +\+10\.00 +−0\.5000 +– +\+9\.50 +90\.00 /);
  expect(first).toMatch(/2026-05-01 +BTC-PERP +1 +0\.00 +−0\.5000 +– +−0\.5000 +80\.00 /);
  expect(text).toMatch(/net \+9\.00 {2}realised \+10\.00 {2}fees −1\.00 {2}all fills: /);
  type("p");
  const masked = await until(/MASKED/);
  expect(masked).not.toMatch(/[+−]•|[+−]\d/);
  expect(masked).toMatch(/net ••• {2}realised ••• {2}fees •••/);
});

test("a time names its day half a day from now, and its year half a year from it", async () => {
  const { service, until, clock } = await open(TRADES, { transactions: 0 });
  const hours = [1, 13, 5000];
  const rows = hours.map((ago) =>
    listedTrade({ trade_id: `${9000 - ago}`, timestamp_ms: clock.wall() - ago * 3_600_000 }),
  );
  service.insteadOf = () => [200, JSON.stringify(rows)];
  const text = await until(/Trades 3 /);
  const forms = [/│ +\d\d:\d\d:00\.000 /, /│ +\d\d-\d\d \d\d:/, /│ +20\d\d-\d\d-\d\d \d\d:/];
  const lines = text.split("\n").filter((line) => line.includes(":00.000"));
  for (const [i, form] of forms.entries()) expect(lines[i]).toMatch(form);
});

test("a listing that fails says so at once, and when it is asked for again", async () => {
  const { service, until } = await open(TRADES, { transactions: 0 });
  service.insteadOf = () => [500, "no"];
  await until(/not up to date, again in .*500/);
});
