import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AlertHooks, firingJson, formatNotification } from "../../src/alerts/alert-effects.ts";
import type { AlertFiring } from "../../src/alerts/alert-manager.ts";
import { persistAlerts, restoreAlerts } from "../../src/alerts/alert-run.ts";
import { PersistedState } from "../../src/config/persisted-state.ts";
import { terminalTraits } from "../../src/terminal/session/terminal-traits.ts";
import { alertRule } from "../support/alert-rule.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { openAlerts } from "./alert-rig.ts";

const folder = folderOfFile();
const traits = terminalTraits({ TERM: "xterm" });

function firing(exec?: readonly string[], rule = "perp/1 last > 65000"): AlertFiring {
  const alert = openAlerts().manager.add(alertRule(rule), "config", { exec });
  if (alert === undefined) throw new Error("too many alerts");
  return {
    alert,
    atWallMs: Date.UTC(2026, 0, 1),
    value: "65000.01",
    crossedDuringGap: false,
    state: "live",
  };
}

describe("a notification", () => {
  const notification = (of: AlertFiring, isMasked = false) =>
    formatNotification(of, ["notification"], isMasked, traits);

  test("is a bell and one sequence that the terminal knows, with nothing else in it", () => {
    expect(formatNotification(firing(), ["bell", "notification"], false, traits)).toBe(
      "\u001b]9;monitor: perp/1 last > 65000: 65000.01\u0007\u0007",
    );
    expect(formatNotification(firing(), ["bell"], false, traits)).toBe("\u0007");
    expect(formatNotification(firing(), [], false, traits)).toBe("");
  });

  test("hides the address, the level and the value of an account while the screen is masked, and of no market", () => {
    const rule = "account/Demo1Address1Demo1Address1Demo1Addr/3 equity < 54321";
    const ofAccount = { ...firing(undefined, rule), value: "54000.5" };
    expect(notification(ofAccount)).toContain(`${rule}: 54000.5`);
    expect(notification(ofAccount, true)).not.toMatch(/Demo1|54/);
    expect(notification(ofAccount, true)).toContain("account/•••/3 equity < •••");
    expect(notification(firing(), true)).toContain("last > 65000: 65000.01");
  });

  test("lets no sequence through that is hidden in its text", () => {
    const value = "1\u0007\u001b]52;c;aGFjaw==\u0007;x";
    expect(notification({ ...firing(), value })).toBe(
      "\u001b]9;monitor: perp/1 last > 65000: 1_52_c_aGFjaw_x\u0007",
    );
  });
});

describe("a program of the user's", () => {
  const openHooks = (env: NodeJS.ProcessEnv = process.env) => {
    const clock = createVirtualClock();
    return { clock, hooks: new AlertHooks(clock, env) };
  };

  test("gets the event as JSON on its standard input, and its arguments without a shell", async () => {
    const file = join(folder, "event.json");
    const { hooks } = openHooks();
    const others = ["$(touch /tmp/never)", ";", "x"];
    const script = 'cat > "$0"; for each; do printf "%s\\n" "$each" >> "$0.arguments"; done';
    await hooks.run(firing(["/bin/sh", "-c", script, file, ...others]));
    expect(readFileSync(`${file}.arguments`, "utf8")).toBe(`${others.join("\n")}\n`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      alert: "perp/1 last > 65000",
      value: "65000.01",
      at: "2026-01-01T00:00:00.000Z",
      crossed_while_data_were_missing: false,
      market: { type: "perp", id: "1" },
      firings: 0,
    });
    expect(hooks.fault).toBeUndefined();
  });

  test("gets the environment without the headers, without options that load code, and without what speaks for this process", async () => {
    const file = join(folder, "environment.json");
    const tell = `require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
    const env = {
      MONITOR_HEADERS: "Key: canary",
      NODE_OPTIONS: "--require /no/such/file",
      NOTIFY_SOCKET: "/run/systemd/notify",
      WATCHDOG_USEC: "1000000",
      WATCHDOG_PID: "1",
      DISPLAY: ":0",
    };
    await openHooks(env).hooks.run(firing([process.execPath, "-e", tell]));
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ DISPLAY: ":0" });
  });

  test("that does not exist is a fault that can be shown, and nothing more", async () => {
    const { hooks } = openHooks();
    await hooks.run(firing(["/no/such/program"]));
    expect(hooks.fault).toContain("/no/such/program");
  });

  test.each([
    ["under a file", "/etc/passwd/x", "ENOTDIR"],
    ["with a zero in its name", "a\u0000b", "null bytes"],
    ["with an endless name", `/${"x".repeat(5000)}`, "ENAMETOOLONG"],
  ])("that the system refuses at once is such a fault, too: %s", async (_, program, words) => {
    const { clock, hooks } = openHooks();
    for (let i = 0; i < 5; i++) await hooks.run(firing([program]));
    expect(hooks.fault).toContain(words);
    expect(clock.pending).toBe(0);
  });

  test("is killed when it takes too long, and only four run at once", async () => {
    const { clock, hooks } = openHooks();
    const waits = ["/bin/sh", "-c", "exec sleep 1000"];
    const ends = Array.from({ length: 5 }, () => hooks.run(firing(waits)));
    expect(hooks.fault).toContain("run already");
    expect(clock.pending).toBe(4);
    clock.advance(10_000);
    await Promise.all(ends);
    expect(hooks.fault).toContain("killed after 10 s");
  });

  test("that hangs is killed after ten seconds with all that it has started, and whoever waits for it goes on", async () => {
    const { clock, hooks } = openHooks();
    const pipe = join(folder, "held-open");
    execFileSync("sh", ["-c", `mkfifo ${pipe}`]);
    const held = createReadStream(pipe);
    const run = hooks.run(firing(["/bin/sh", "-c", `sleep 1000 > ${pipe} & wait`]));
    const settled = hooks.settled();
    // What it has started has opened its end.
    await once(held, "open");
    clock.advance(9_999);
    expect(hooks.fault).toBeUndefined();
    clock.advance(1);
    await Promise.all([run, settled, once(held.resume(), "end")]);
    expect(hooks.fault).toBe("/bin/sh: killed after 10 s");
    expect(clock.pending).toBe(0);
  });

  test.each([
    ["exit 3", "ended with exit code 3"],
    ["kill -9 $$", "ended by SIGKILL"],
  ])("that does not end well says so: %s", async (script, words) => {
    const { hooks } = openHooks();
    await hooks.run(firing(["/bin/sh", "-c", script]));
    expect(hooks.fault).toBe(`/bin/sh: ${words}`);
  });

  test("that has failed is forgotten when a later one has run well, not when an earlier one has", async () => {
    const { hooks } = openHooks();
    const well = ["/bin/sh", "-c", ""];
    const earlier = hooks.run(firing(well));
    await Promise.all([hooks.run(firing(["/no/such/program"])), earlier]);
    expect(hooks.fault).toContain("/no/such/program");
    await hooks.run(firing(well));
    expect(hooks.fault).toBeUndefined();
  });

  test("starts nothing where an alert names none", async () => {
    const { clock, hooks } = openHooks();
    await hooks.run(firing());
    expect(clock.pending).toBe(0);
    expect(JSON.parse(firingJson({ ...firing(), value: undefined })).value).toBeNull();
  });
});

describe("what is persisted between runs", () => {
  test("is written once things are quiet, and read again; a broken file counts as empty", () => {
    const path = join(folder, "deep", "state.json");
    const clock = createVirtualClock();
    const persisted = new PersistedState(path, clock);
    persisted.set("a", 1);
    persisted.set("a", 2);
    clock.advance(500);
    expect(new PersistedState(path, clock).get("a")).toBe(2);
    writeFileSync(path, "{broken");
    expect(new PersistedState(path, clock).get("a")).toBeUndefined();
    writeFileSync(path, "[1]");
    expect(new PersistedState(path, clock).get("constructor")).toBeUndefined();
    new PersistedState(join(path, "under", "a-file.json"), clock).set("a", 1);
    clock.advance(500);
  });

  test("are the alerts of the screen, and not those of the config file", () => {
    const clock = createVirtualClock();
    const persisted = new PersistedState(join(folder, "alerts.json"), clock);
    const { manager } = openAlerts();
    for (const origin of ["screen", "config", "option"] as const) {
      manager.add(alertRule(`perp/1 ${origin === "screen" ? "bid" : "ask"} > 1`), origin);
    }
    persistAlerts(manager, persisted);
    persisted.save();
    const { manager: next } = openAlerts();
    restoreAlerts(next, new PersistedState(join(folder, "alerts.json"), clock));
    expect(next.alerts.map(({ text, origin }) => [text, origin])).toEqual([
      ["perp/1 bid > 1", "screen"],
    ]);
    const hostile = new PersistedState(join(folder, "none.json"), clock);
    hostile.set("alerts", [null, 5, { text: 5 }, { text: "nonsense", setAtWallMs: 1 }]);
    restoreAlerts(next, hostile);
    expect(next.alerts.length).toBe(1);
  });
});
