import { describe, expect, onTestFinished, test } from "vitest";
import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../../src/listing/listing.ts";
import { listingSource, type SourceOptions } from "../../src/listing/listing-source.ts";
import { RestClient } from "../../src/listing/rest/rest-client.ts";
import liquidations from "../fixtures/rest/liquidations.json" with { type: "json" };
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { httpAnswer, serveScript } from "../support/scripted-http.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const OWNER = `0x${"aB".repeat(20)}`;
const trade = trades.good[0]?.message?.[0];
const event = liquidations.good[0]?.message?.[0];

async function ask<T>(listing: Listing<T>, body: unknown, options: SourceOptions = {}) {
  const server = await serveScript([httpAnswer(200, JSON.stringify(body))]);
  const clock = createVirtualClock();
  const client = new RestClient({ baseUrl: server.baseUrl, clock, random: () => 1 });
  onTestFinished(() => client.close());
  const source = listingSource(client, listing, options);
  const request = { before: (1n << 63n) - 1n, limit: 1000 };
  const answer = await source.get(request, new AbortController().signal);
  const [line = ""] = (server.requests[0] ?? "").split("\r\n");
  return { answer, line };
}

describe("each listing", () => {
  test.each<[Listing<unknown>, path: string]>([
    [tradesListing({ type: "spot", id: "2" }), "/markets/2/trades?market_type=spot&"],
    [liquidationsListing("1"), "/markets/1/liquidations?"],
    [fillsListing(OWNER, 65_535), `/accounts/${OWNER}/subaccounts/65535/trades?`],
  ])("is asked for as the document says: $kind", async (listing, path) => {
    const { line } = await ask(listing, []);
    expect(line).toBe(`GET /api${path}limit=1000&before=9223372036854775807 HTTP/1.1`);
  });

  test("gives its records as they were sent", async () => {
    const market = { type: "perp", id: "1" } as const;
    expect((await ask(tradesListing(market), [trade])).answer.records()).toEqual([trade]);
    expect((await ask(liquidationsListing("1"), [event])).answer.records()).toEqual([event]);
  });
});

/** Records may be read when their fields are asked for. */
const plain = (records: readonly unknown[]) => JSON.parse(JSON.stringify(records));

describe("an answer", () => {
  const listing = fillsListing(`0x${"00".repeat(19)}aa`, 0);

  test("shows its last records before it is read", async () => {
    const last = { ...trade, trade_id: "77" };
    const { answer } = await ask(listing, [trade, trade, last]);
    expect(answer.end(1)).toEqual([last]);
    expect(answer.end(2)).toEqual([trade, last]);
    expect(answer.end(9)).toEqual([trade, trade, last]);
    expect((await ask(listing, [])).answer.end(2)).toEqual([]);
  });

  test("that is soon let go has the same records, and the same faults", async () => {
    const options = { isTransient: true };
    const spaced = { ...trade, tx_hash: 'a "word"' };
    for (const page of [[trade, trade], [trade, spaced], []])
      expect(plain((await ask(listing, page, options)).answer.records())).toEqual(page);
    const { answer } = await ask(listing, [trade, { ...trade, price: "x" }], options);
    expect(() => answer.records()).toThrow(/: \[1\]\.price: /);
  });

  test("with a record that lacks a field names the place", async () => {
    const { answer } = await ask(listing, [trade, { ...trade, price: undefined }]);
    expect(() => answer.records()).toThrow(/\/trades\?limit=.*: \[1\]\.price: /);
  });

  test("with a field that the document does not list is told of", async () => {
    const record = { ...trade, colour: "red" };
    let drifts = 0;
    const onDrift = () => drifts++;
    expect((await ask(listing, [record], { onDrift })).answer.records()).toEqual([record]);
    expect(drifts).toBe(1);
  });
});

describe("a record's fields propose a cursor", () => {
  const propose = (fields: object) =>
    fillsListing(OWNER, 0).fields.cursorFields.map(({ value }) =>
      value({ ...trade, ...fields } as never),
    );

  test("as an integer of any size", () => {
    expect(propose({ trade_id: "0098765432109876543210", timestamp_ms: 5 })).toEqual([
      98_765_432_109_876_543_210n,
      5n,
    ]);
  });

  test("unless it is none", () => {
    expect(propose({ trade_id: "1.5", timestamp_ms: -1 })).toEqual([undefined, undefined]);
  });
});
