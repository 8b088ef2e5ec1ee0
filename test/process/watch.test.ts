// monitor watch as its user runs it: alerts without a screen, one JSON line each.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import {
  runMonitorSettled as runMonitor,
  runMonitor as runOnRealClock,
} from "../support/monitor-inside.ts";
import { runUntilFile } from "../support/monitor-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

interface Line {
  readonly event: string;
  readonly rule: string;
  readonly value: string | null;
  readonly market: string | null;
  readonly state: string;
}

const linesOf = (stdout: string): readonly Line[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const folder = folderOfFile();
const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** A service with one market at 7000, and the arguments of a watch of it. */
async function startMarket(...args: readonly string[]) {
  const service = await startMarketService({
    quietAfterMs: 0,
    records: { markets: [{ market_id: 1, market_type: "perp", symbol: "BTC-PERP" }] },
  });
  onTestFinished(service.close);
  service.trade(7000n);
  return { service, args: ["watch", "--ws-url", service.wsUrl, ...args] };
}

/** Calls back once, when the output holds the text. */
type Kill = (signal: NodeJS.Signals) => void;

function whenSaid(text: string, callback: (kill: Kill) => void) {
  let isDone = false;
  return (output: string, kill: Kill) => {
    if (isDone || !output.includes(text)) return;
    isDone = true;
    callback(kill);
  };
}

test("a watch says at once what is past already, prints a line for a crossing, and ends with 0 when nothing can fire any more", async () => {
  const rule = "perp/1 last > 6000 ticks";
  const { service, args } = await startMarket("--alert", rule);
  const { code, stdout, stderr } = await runMonitor(args, {
    // The first value is past already: from then on the price moves.
    onOutput: whenSaid("already_past", () => {
      for (const price of [5900n, 6001n, 6002n]) service.trade(price);
    }),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(linesOf(stdout)).toMatchObject([
    { event: "already_past", rule, market: "perp/1", value: "7000", state: "live" },
    { event: "alert", rule, market: "perp/1", value: "6001", state: "live" },
  ]);
});

test("without anything to watch for, nothing is connected and the exit code is 2", async () => {
  const none = await runMonitor(["watch", "--ws-url", "ws://127.0.0.1:9"]);
  expect(none).toMatchObject({ code: 2, stdout: "" });
  expect(none.stderr).toContain("watch has no alert\nexpected: --alert");
});

test("a market without an alert is held, and alerts that the config file has at SIGHUP are watched", async () => {
  const config = fileOf("empty.toml", "");
  const { args } = await startMarket("perp/1", "--events", "--config", config);
  const { code, stdout, stderr } = await runMonitor(args, {
    onOutput: whenSaid("connected", (kill) => {
      writeFileSync(config, '[[alerts]]\nwhen = "perp/1 last > 6000 ticks"\n');
      kill("SIGHUP");
    }),
    until: (stdout) => stdout.includes("already_past"),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(linesOf(stdout).filter(({ event }) => event !== "link")).toHaveLength(1);
});

test("a service that stays away for --give-up ends the watch with 1", async () => {
  const { code, stderr } = await runMonitor([
    "watch",
    "--ws-url",
    "ws://127.0.0.1:9",
    "--alert",
    "perp/1 last > 1",
    "--give-up",
    "1s",
  ]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/127\.0\.0\.1:9.*\n--give-up/),
  });
});

test("--first ends with 0 after the first firing, when the program of the alert has ended", async () => {
  const seen = join(folder, "seen.json");
  const config = fileOf(
    "first.toml",
    `[[alerts]]
when = "perp/1 last > 6000 ticks every 0s"
exec = ["/bin/sh", "-c", "sleep 0.3; cat > ${seen}"]
`,
  );
  const { service, args } = await startMarket("--first", "--config", config);
  const { code, stdout } = await runOnRealClock(args, {
    onOutput: whenSaid("already_past", () => {
      for (const price of [5900n, 6001n, 5900n, 6002n]) service.trade(price);
    }),
  });
  expect(code).toBe(0);
  expect(linesOf(stdout).map(({ event, value }) => [event, value])).toEqual([
    ["already_past", "7000"],
    ["alert", "6001"],
  ]);
  expect(JSON.parse(readFileSync(seen, "utf8"))).toMatchObject({ value: "6001", firings: 1 });
});

test("SIGTERM ends a watch with 0", async () => {
  const { args } = await startMarket("--alert", "perp/1 last > 6000 ticks every");
  const ended = await runMonitor(args, { until: (stdout) => stdout.includes("already_past") });
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
  expect(linesOf(ended.stdout)).toHaveLength(1);
});

test("SIGHUP takes up the alerts of a changed config file; of a broken one it says so, and the ones before stay in force", async () => {
  const alert = (level: number) => `[[alerts]]\nwhen = "perp/1 last > ${level} ticks every 0s"\n`;
  const config = fileOf("followed.toml", alert(8000));
  const { service, args } = await startMarket("--config", config, "--events");
  const cross = (to: bigint) => {
    service.trade(7000n);
    service.trade(to);
  };
  const steps = [
    whenSaid("connected", (kill) => {
      writeFileSync(config, alert(6000));
      kill("SIGHUP");
    }),
    whenSaid('"event":"already_past"', (kill) => {
      writeFileSync(config, `nonsense = 1\n${alert(5000)}`);
      kill("SIGHUP");
    }),
  ];
  const onBroken = whenSaid("nonsense", () => {
    service.trade(5900n);
    cross(6001n);
  });
  const { code, stdout, stderr } = await runMonitor(args, {
    onOutput: (stdout, kill) => {
      for (const step of steps) step(stdout, kill);
    },
    until: (stdout, stderr) => {
      onBroken(stderr, () => {});
      return stdout.includes('"event":"alert"');
    },
  });
  expect(code).toBe(0);
  expect(stderr.split("\n").filter(Boolean)).toEqual([
    expect.stringMatching(/followed\.toml: nonsense/),
  ]);
  expect(
    linesOf(stdout).flatMap(({ event, rule, value }) => (event === "link" ? [] : [[rule, value]])),
  ).toEqual([
    ["perp/1 last > 6000 ticks every 0s", "7000"],
    ["perp/1 last > 6000 ticks every 0s", "7000"],
  ]);
});

test("systemd is notified of being ready, of a status, of its watchdog and of the end", async () => {
  const said = join(folder, "notified");
  writeFileSync(said, "");
  const program = fileOf(
    "systemd-notify",
    `#!/bin/sh\nfor each; do echo "$each" >> ${said}; done\n`,
  );
  chmodSync(program, 0o755);
  const { args } = await startMarket("--alert", "perp/1 last > 8000 ticks");
  const linesOfText = (text: string) => text.trimEnd().split("\n");
  const dogs = (lines: readonly string[]) => lines.filter((line) => line === "WATCHDOG=1").length;
  const armed = "STATUS=connected; 1 alert: 1 watching";
  const isEnough = (bytes: Buffer) => {
    const lines = linesOfText(bytes.toString());
    return lines.includes(armed) && dogs(lines) > 2;
  };
  const env = {
    PATH: `${folder}:${process.env.PATH ?? ""}`,
    NOTIFY_SOCKET: "/run/systemd/notify",
    WATCHDOG_USEC: "800000",
  };
  const { code, stderr } = await runUntilFile(args, said, isEnough, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = linesOfText(readFileSync(said, "utf8"));
  expect(lines).toContain("READY=1");
  expect(lines.at(-1)).toBe("STOPPING=1");
});

test("where systemd cannot be notified, that is said once, and the watch goes on", async () => {
  const { args } = await startMarket("--alert", "perp/1 last > 8000 ticks", "--for", "1500ms");
  const env = { PATH: "/no/such/folder", NOTIFY_SOCKET: "/run/systemd/notify" };
  const { code, stderr } = await runMonitor(args, { env });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^.*systemd-notify.*\n$/),
  });
});

test.each([
  [
    ["--alert", "perp/1 lats > 5"],
    '--alert "perp/1 lats > 5": "lats" cannot be watched: did you mean last?',
  ],
  [
    ["--account", "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", "--events"],
    "--account names no subaccount",
  ],
  [["spot/x", "--events"], "not a market: spot/x"],
  [["--give-up", "soon", "--events"], '--give-up cannot be "soon"'],
  [["--json", "--events"], "--json has no meaning with watch"],
])("what cannot be watched is refused before anything is sent: %j", async (args, words) => {
  const { code, stdout, stderr } = await runMonitor([
    "watch",
    "--ws-url",
    "ws://127.0.0.1:9",
    ...args,
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(words);
});

test("a market that is named by its symbol is found in the list of the service; one that is not listed is refused", async () => {
  const { args } = await startMarket("--events", "--for", "1500ms");
  const none = await runMonitor([...args, "ETH-PERP"]);
  expect([none.code, none.stderr]).toEqual([
    2,
    "monitor: the service lists no market ETH-PERP\ndid you mean BTC-PERP?\n",
  ]);
  const found = await runMonitor([...args, "btc-perp"]);
  expect([found.code, found.stderr]).toEqual([0, ""]);
});

test("--mask hides accounts in every line", async () => {
  const address = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
  const { args } = await startMarket("--mask", "--events", "--for", "1s");
  const { stdout, stderr } = await runMonitor([
    ...args,
    "--alert",
    `account/${address}/3 equity  <  1000`,
    "--account",
    `${address}/4`,
  ]);
  expect(stdout).toContain("account/•••/3 equity < •••");
  expect(`${stdout}${stderr}`).not.toMatch(/7xKX|1000/);
});
