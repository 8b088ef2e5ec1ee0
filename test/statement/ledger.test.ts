// A statement over the simulated exchange, recomputed from the exchange's own ledger, and compared with the positions on its stream.
import { expect, test, vi } from "vitest";
import { parseDecimal } from "../../src/units/decimal.ts";
import { fillsOf, startRig } from "../simulator/rig.ts";
import { runInsideSettled } from "../support/monitor-inside.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

/** Markets of the rig by index: decimals of a lot. A tick has two. */
const MARKETS = [
  ["perp/1", "BTC-PERP", 4],
  ["perp/2", "ETH-PERP", 3],
  ["spot/1", "BTC/USDC", 4],
] as const;
const MILLION = 1_000_000n;

/** In millionths, which every sum here has. */
function millionths(text: string): bigint {
  const { mantissa, places } = parseDecimal(text) ?? { mantissa: 0n, places: 0 };
  return (mantissa * MILLION) / 10n ** BigInt(places);
}

test("fills of a simulated subaccount sum up to its ledger, and to the positions that the stream shows", async () => {
  vi.stubEnv("XDG_DATA_HOME", folderOfTest());
  const { world, announcement } = await startRig({ seed: 7 });
  const { ws_url: wsUrl, base_url: baseUrl, account } = announcement;
  const { owner, address, subaccount_id: id } = account;
  const addresses = ["--ws-url", wsUrl, "--base-url", baseUrl];
  const words = ["statement", owner, `${id}`, "--json", "--account", `${address}/${id}`];
  const { code, stdout, stderr } = await runInsideSettled([...words, ...addresses]);
  expect([code, stderr]).toEqual([0, ""]);
  const { markets, books, complete } = JSON.parse(stdout);
  expect(complete).toBe(true);

  const held = world.catalogue.accounts[id];
  for (const [index, [name, symbol, lotPlaces]] of MARKETS.entries()) {
    const fills = fillsOf(world, id).filter(({ market }) => market === index);
    const value = fills.reduce((sum, { priceTicks, sizeLots }) => sum + priceTicks * sizeLots, 0);
    const position = held?.positions[index];
    expect(markets[name]).toMatchObject({ symbol, fills: fills.length });
    expect(millionths(markets[name].volume_quote)).toBe(
      BigInt(value) * 10n ** BigInt(4 - lotPlaces),
    );
    if (!name.startsWith("perp")) continue;
    const net = millionths(books[name].fills) / 10n ** BigInt(6 - lotPlaces);
    expect([net, books[name].difference]).toEqual([BigInt(position?.lots ?? 0), "0"]);
    // The exchange rounds each fill to an atom, the statement only its sums.
    const difference =
      millionths(markets[name].realised_quote) - BigInt(position?.realisedAtoms ?? 0);
    expect(Math.abs(Number(difference))).toBeLessThan(2 * fills.length);
  }
  vi.unstubAllEnvs();
});
