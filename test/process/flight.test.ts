// The last minutes of a run as its user saves them: the built program on a real terminal, and a replay of what it wrote.
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
import { runMonitor as runReplay } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const SIZE = { columns: 160, rows: 40 };
const folder = folderOfFile();

test("an alert with record leaves a file that replays, and a key ends one of its own", async () => {
  const service = await startForeignService({ quietAfterMs: 0 });
  service.trade(7000n);
  const incidents = join(folder, "incidents");
  const config = join(folder, "config.toml");
  const alert = { when: "perp/1 last > 7500 ticks", record: incidents };
  const keys = Object.entries(alert).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(config, `[[alerts]]\n${keys.join("")}`);
  const args = ["perp/1", "--ws-url", service.wsUrl, "--config", config];
  const screen = new MonitorScreen(args, SIZE);
  const saved = join(folder, "saved.jsonl");
  try {
    await screen.until((text) => text.includes("7,000"));
    service.trade(7100n);
    await screen.until((text) => text.includes("7,100"));
    screen.type(`:save 1m ${saved}\r`);
    await screen.until((text) => text.includes("(all there is) and a minute more"));
    service.trade(7600n);
    await screen.until((text) => text.includes("alert: perp/1 last > 7500 ticks"));
    screen.type(`:save ${saved}\r`);
    await screen.until((text) => text.includes("not saved: ") && text.includes("exists already"));
    screen.type("W");
    await screen.until((text) => text.includes(`saved ${saved}: `));
    screen.type("q");
    await screen.until((text) => text.includes("the same key again leaves: recording to "));
    screen.type("q");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
    const [name = "", ...more] = readdirSync(incidents);
    expect(more).toEqual([]);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-perp-1\.jsonl$/);
    for (const file of [join(incidents, name), saved]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { code, stdout, stderr } = await runReplay(["replay", file, "--json"]);
      const trades = JSON.parse(stdout).trades as { price_ticks: string }[];
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(
          /^monitor: the recording begins with a state made from memory, not received: /,
        ),
      });
      expect(trades.map(({ price_ticks }) => price_ticks).slice(0, 3)).toEqual([
        "7600",
        "7100",
        "7000",
      ]);
    }
  } finally {
    await service.close();
  }
});

test("a fault of ours on the screen leaves the last minutes beside the log, and its line names them", async () => {
  const service = await startForeignService({ quietAfterMs: 0 });
  service.trade(7000n);
  const fault = join(folder, "fault.mjs");
  writeFileSync(fault, 'process.on("SIGUSR2", () => { throw new Error("boom"); });');
  const logs = mkdtempSync(join(folder, "logs-"));
  const args = ["perp/1", "--ws-url", service.wsUrl, "--log", join(logs, "log"), "--mask"];
  const screen = new MonitorScreen(args, { ...SIZE, env: { NODE_OPTIONS: `--import ${fault}` } });
  try {
    await screen.until((text) => text.includes("7,000"));
    screen.signal("SIGUSR2");
    const { code } = await screen.ended();
    expect(code).toBe(1);
    const [name = ""] = readdirSync(logs).filter((each) => each !== "log");
    expect(name).toMatch(/Z-error\.jsonl$/);
    expect(screen.output.replaceAll("\r\n", "\n")).toContain(
      `monitor: unexpected error: boom; the last minutes are in ${join(logs, name)}\n`,
    );
    const file = join(logs, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8").split("\n", 1)[0] ?? "")).toMatchObject({
      settings: { cause: "error: boom", redacted: true },
    });
    expect((await runReplay(["replay", file, "--json"])).code).toBe(0);
  } finally {
    await service.close();
  }
});

test("a watch records beside its line, and says in one line what it could not record", async () => {
  const service = await startForeignService({ quietAfterMs: 0 });
  service.trade(7000n);
  const incidents = join(folder, "of-watch");
  const config = join(folder, "watch.toml");
  const rule = (level: number, record: string) =>
    `[[alerts]]\nwhen = "perp/1 last > ${level} ticks every 1s"\nrecord = ${JSON.stringify(record)}\n`;
  writeFileSync(config, rule(7500, incidents) + rule(7400, join(folder, "no", "folder")));
  const prices = [7100n, 7600n];
  try {
    const { code, stdout, stderr } = await runMonitor(
      ["watch", "perp/1", "--events", "--ws-url", service.wsUrl, "--config", config],
      {
        until: (out, err) => {
          if (out.includes('"what":"connected"') && service.isStill)
            for (const price of prices.splice(0)) service.trade(price);
          return out.split('"event":"alert"').length > 2 && err.includes("not recorded");
        },
      },
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^monitor: alert not recorded: ENOENT: [^\n]*folder'\n$/),
    });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [first] = lines.filter(({ event }) => event === "alert");
    const [name = "", ...more] = readdirSync(incidents);
    expect(more).toEqual([]);
    const time = first.at.slice(0, 19).replaceAll(":", "-");
    expect(name).toBe(`${time}Z-perp-1.jsonl`);
    const { stdout: replayed } = await runReplay(["replay", join(incidents, name), "--json"]);
    expect(JSON.parse(replayed).trades).toMatchObject([
      { price_ticks: "7600" },
      { price_ticks: "7100" },
      { price_ticks: "7000" },
    ]);
  } finally {
    await service.close();
  }
});
