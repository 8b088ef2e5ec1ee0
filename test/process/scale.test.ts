// The program against a service that it does not know, whose ticks and lots are worth something that only matched
// trades, a market's own fields or the config tell.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { type ForeignOptions, withForeignService } from "../support/foreign-service.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { runUntilStill, type Shown } from "../support/still-market.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const scale = { tickPlaces: 2, lotPlaces: 4 };

/**
 * Runs the program until the market stands still and the scale is as wanted, then once more for people; the test's own
 * time limit ends the wait. Answers what it said last, and the page.
 */
async function run(
  isMet: (scale: Shown["scale"]) => boolean,
  options: Partial<ForeignOptions>,
  more: readonly string[] = [],
) {
  return withForeignService({ backlog: 1000, ...options }, async (service, clock) => {
    const args = ["perp/1", "--ws-url", service.wsUrl, "--base-url", service.baseUrl, ...more];
    const isShown = ({ scale }: Shown) => isMet(scale);
    const { finished, shown } = await runUntilStill(service, clock, args, isShown);
    expect(finished).toMatchObject({ code: 0, stderr: "" });
    const page = await runMonitor([...args, "--once"], { clock });
    expect(page.code).toBe(0);
    return { service, shown, page: page.stdout };
  });
}

const isFrom = (source: string) => (scale: Shown["scale"]) => scale.source === source;
const isDoubted = ({ doubt }: Shown["scale"]) => doubt !== null;

/** Decimal text of an integer of 10^-places, without the program. */
function pointed(units: string, places: number): string {
  const digits = units.padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

describe("monitor perp/1 on a service with ticks of 0.01 and lots of 0.0001", () => {
  test("measures the scale from trades that the stream and REST both tell, and prints exact prices", async () => {
    const { service, shown, page } = await run(isFrom("measured"), {
      scale,
      priceOffset: 2n ** 62n,
    });
    expect(shown.scale).toMatchObject({
      tick_size: "0.01",
      lot_size: "0.0001",
      source: "measured",
    });
    expect(shown.scale).toMatchObject({ contradictions: 0, doubt: null });
    const { bid } = service.bbo;
    const text = `${pointed(bid?.price_ticks ?? "", 2)} × ${pointed(bid?.size_base_lots ?? "", 4)}`;
    expect(page).toContain(`bid     ${text}\n`);
    expect(page).toContain("tick 0.01 lot 0.0001 (measured, ");
    // What the wire says stays as it came.
    expect(shown.bbo.bid).toMatchObject({ ...bid });
  });

  test("shows ticks and lots, and says so, when trades contradict each other", async () => {
    const { service, shown, page } = await run(isDoubted, { scale: { ...scale, lieEvery: 15 } });
    expect(shown.scale).toMatchObject({ tick_size: null, lot_size: null, source: "none" });
    expect(shown.scale.contradictions).toBeGreaterThan(0);
    expect(shown.scale.doubt).toMatch(/^price [0-9]+ is [0-9.]+, which is not × /);
    expect(page).toContain("scale   prices in ticks, sizes in lots (");
    expect(page).toContain(`bid     ${service.bbo.bid?.price_ticks} × `);
  });

  test("takes it from fields of the market that no trade contradicts, whatever type they have", async () => {
    const markets = [{ marketId: 1, kind: "perpetual", priceIncrement: 0.01, step_size: "0.0001" }];
    const isTested = ({ pairs }: Shown["scale"]) => Number(pairs) > 0;
    const { shown } = await run(isTested, { scale, records: { markets } });
    expect(shown.scale).toMatchObject({ tick_size: "0.01", lot_size: "0.0001", source: "market" });
  });

  test("does not believe fields of the market that trades contradict", async () => {
    const markets = [{ market_id: 1, tick_size: "0.1", lot_size: "0.0001" }];
    const { shown } = await run(isFrom("measured"), { scale, records: { markets } });
    expect(shown.scale).toMatchObject({ tick_size: "0.01", source: "measured" });
    expect(shown.scale.doubt).toBe(
      "market says tick 0.1 lot 0.0001, trades say tick 0.01 lot 0.0001",
    );
  });

  test("follows the config, and says what trades say against it", async () => {
    const config = join(folderOfTest(), "config.toml");
    writeFileSync(config, '[markets."perp/1"]\ntick_size = "0.5"\nlot_size = "0.0001"\n');
    const { shown } = await run(isDoubted, { scale }, ["--config", config]);
    expect(shown.scale).toMatchObject({ tick_size: "0.5", source: "config" });
    expect(shown.scale.doubt).toMatch(/^config says tick 0\.5 .* trades say tick 0\.01 /);
  });

  test("shows ticks and lots, and says why, where REST does not answer", async () => {
    const { shown, page } = await run(isFrom("none"), {});
    expect(shown.scale).toMatchObject({ tick_size: null, source: "none", pairs: 0 });
    expect(page).toMatch(/prices in ticks, sizes in lots \(not measured: .* answers 404/);
  });
});
