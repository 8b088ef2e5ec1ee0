// Records of the listings (2.4, 2.5): what the document allows is taken, and what is not as documented is refused with its place.
import { expect, test } from "vitest";
import { fillsListing, liquidationsListing } from "../../src/listing/listing.ts";
import { parsePage } from "../../src/listing/source.ts";
import { HistoryError } from "../../src/units/monitor-error.ts";
import { createRandom } from "../../src/units/random.ts";
import { conformsLiquidationPage, conformsTradePage } from "../support/interface-schema.ts";
import { SEED } from "../support/soak.ts";
import { makeLiquidation, makeTradeRecord, several } from "./wire-messages.ts";

const PAGES = 300;
const fills = { ...fillsListing(`0x${"ab".repeat(20)}`, 0), foreign: () => undefined };

/** What is said of a page; undefined if it is taken. */
function refusalOf(listing: Parameters<typeof parsePage>[0], page: unknown): string | undefined {
  try {
    parsePage(listing, { url: "", text: JSON.stringify(page) });
    return undefined;
  } catch (error) {
    if (error instanceof HistoryError) return error.message;
    throw error;
  }
}

/** Values that no field of a record has. */
const WRONG = [null, [], {}, Number.MAX_SAFE_INTEGER + 1, 1.5];

test.each([
  ["trades", fills as never, makeTradeRecord, conformsTradePage],
  ["liquidations", liquidationsListing("1") as never, makeLiquidation, conformsLiquidationPage],
] as const)(
  "pages of %s are taken and refused as the document says",
  (_, listing, make, conforms) => {
    const random = createRandom(SEED);
    for (let i = 0; i < PAGES; i++) {
      const page = several(random, 3, make) as Record<string, unknown>[];
      expect(conforms(page)).toBeUndefined();
      expect(refusalOf(listing, page)).toBeUndefined();
      // Fields of a newer service are kept.
      expect(
        refusalOf(
          listing,
          page.map((row) => ({ ...row, more: [1, {}] })),
        ),
      ).toBeUndefined();
      if (page.length === 0) continue;
      const at = Math.floor(random() * page.length);
      const names = Object.keys(page[at] ?? {});
      const name = names[Math.floor(random() * names.length)] ?? "";
      const wrong = WRONG[Math.floor(random() * WRONG.length)];
      const damaged = page.with(at, { ...page[at], [name]: wrong });
      if (conforms(damaged) === undefined) continue;
      expect(refusalOf(listing, damaged)).toContain(`[${at}].${name}`);
      const { [name]: __, ...rest } = page[at] ?? {};
      expect(refusalOf(listing, page.with(at, rest))).toContain(`[${at}].${name}`);
    }
  },
);

test.each(["[1", "{}", "null", '"[]"'])("%s is no page", (text) => {
  expect(() => parsePage(fills as never, { url: "", text })).toThrow("no list of records");
});
