// The three listings: where they are, and which rows cannot be theirs.
import { expect, test } from "vitest";
import {
  fillsListing,
  isOwner,
  liquidationsListing,
  tradesListing,
} from "../../src/listing/listing.ts";

const OWNER = `0x${"aB".repeat(20)}`;
const OTHER = `0x${"cd".repeat(20)}`;

test("each has its address, its query, its name and its fields", () => {
  const cursorFields = ["trade_id", "timestamp_ms"];
  expect(tradesListing({ type: "spot", id: "7" })).toMatchObject({
    ...{ kind: "trades", name: "trades spot/7", path: "/markets/7/trades", cursorFields },
    query: { market_type: "spot" },
  });
  expect(liquidationsListing("7")).toMatchObject({
    ...{ kind: "liquidations", name: "liquidations 7", path: "/markets/7/liquidations" },
    ...{ query: {}, cursorFields: ["liquidation_id", "timestamp_ms"] },
  });
  expect(fillsListing(OWNER, 3)).toMatchObject({
    ...{ kind: "fills", name: `fills ${OWNER} 3`, query: {}, cursorFields },
    ...{ path: `/accounts/${OWNER}/subaccounts/3/trades` },
    owner: { owner: OWNER, subaccountId: 3 },
  });
});

test.each<[asked: "perp" | "spot", type: unknown, id: unknown, isForeign: boolean]>([
  ["perp", "perp", 1, false],
  ["perp", "PERPETUAL", "1", false],
  ["perp", "linear", 1, false],
  ["perp", "perp", 11, true],
  ["perp", "SpotMargin", 1, true],
  ["perp", "of spot", 1, false],
  ["spot", "spot", 1, false],
  ["spot", "Perp", 1, true],
])("a trade asked for as %s/1 may be one of %s/%s: not %s", (type, market_type, market_id, is) => {
  const said = tradesListing({ type, id: "1" }).foreign({ market_type, market_id });
  expect(said).toBe(is ? `asked for market ${type}/1, got ${market_type}/${market_id}` : undefined);
});

test.each<[maker: string, makerId: unknown, taker: string, takerId: unknown, isForeign: boolean]>([
  [OWNER, 3, OTHER, 0, false],
  [OTHER, 0, OWNER.toLowerCase(), "3", false],
  [OTHER, 3, OTHER, 3, true],
  [OWNER, 4, OTHER, 3, true],
  [OTHER, 3, OWNER, 33, true],
  ["5base58", 3, OTHER, 3, false],
  [OTHER, 3, "5base58", 3, false],
  ["5base58", 2, OTHER, 3, true],
])("a trade of %s/%s and %s/%s may be a fill of the owner's: not %s", (...row) => {
  const [maker_address, maker_subaccount_id, taker_address, taker_subaccount_id, is] = row;
  const record = { maker_address, maker_subaccount_id, taker_address, taker_subaccount_id };
  const got = `${maker_address}/${maker_subaccount_id} and ${taker_address}/${taker_subaccount_id}`;
  expect(fillsListing(OWNER, 3).foreign(record)).toBe(
    is ? `asked for fills of ${OWNER}/3, got a trade of ${got}` : undefined,
  );
});

test.each([
  [OWNER, true],
  [`${OWNER}0`, false],
  [`0${OWNER}`, false],
  [OWNER.slice(0, -1), false],
  [OWNER.replace("B", "g"), false],
])("%s is the form of an owner: %s", (text, is) => {
  expect(isOwner(text)).toBe(is);
});
