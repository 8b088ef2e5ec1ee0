// What the config file says of names counts for a recording as it did for the live run.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeLine, FORMAT_VERSION } from "../../../src/timeline/entry.ts";
import { decodeHeading } from "../../../src/timeline/recording-reader.ts";
import { runInside } from "../../support/monitor-inside.ts";
import { SETTINGS } from "../../support/recording-settings.ts";
import { folderOfFile } from "../../support/temporary-folder.ts";

const UPDATE = {
  type: "update",
  channel: "markets",
  timestamp_ns: "1763700000123456789",
  previous_sequence: null,
  sequence: "1",
  markets: [{ market_type: "perp", market_id: 7, odd: { word: "GOLD" } }],
};

const folder = folderOfFile();

/** Writes a file; answers its path. */
function save(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A recording of a list whose one market has its symbol under a name that nobody knows. */
function record(): string {
  const at = { t: 1, w: 1_763_700_000_000 };
  const lines = [
    encodeLine({ ...at, recording: FORMAT_VERSION, settings: SETTINGS }),
    encodeLine({ ...at, event: { type: "subscribing", atMs: 1, channel: "markets" } }),
    encodeLine({ ...at, in: JSON.stringify(UPDATE), update: { first: true, lag: 1 } }),
  ];
  return save("run.ndjson", `${lines.join("\n")}\n`);
}

describe("a recording", () => {
  const account = "Demo1Address1Demo1Address1Demo1Addr";

  test.each([
    ["perp/1", "--for", "1ms", "--record"],
    ["account", account, "0", "--for", "1ms", "--record"],
    ["tail", "bbo/perp/1", "--for", "1ms", "--record"],
    ["record", "bbo/perp/1", "--for", "1ms", "-o"],
  ])("holds the scales of the config file: monitor %s", async (...words) => {
    const file = join(folder, `${words[0]?.replace("/", "-")}-scales.ndjson`);
    const scale = 'tick_size = "0.5"\nlot_size = "0.001"';
    const config = save("scales.toml", `[markets."perp/7"]\n${scale}`);
    await runInside([...words, file, "--ws-url", "ws://127.0.0.1:9", "--config", config]);
    const heading = decodeHeading(readFileSync(file, "utf8").split("\n")[0] ?? "");
    expect(heading?.settings.scales).toEqual({ "perp/7": { tick_size: "0.5", lot_size: "0.001" } });
  });
});

describe("a replay", () => {
  test("takes an alias of the config file for the market that it stands for", async () => {
    const file = record();
    const config = save("aliases.toml", '[aliases]\nBTC = "perp/7"');
    const { stdout } = await runInside(["replay", file, "BTC", "--once", "--config", config]);
    expect(stdout).toContain("market  perp/7");
  });
});
