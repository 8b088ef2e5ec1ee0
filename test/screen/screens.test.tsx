// Each view as plain text. `npm run screens` takes what the program shows now.
import { expect, test } from "vitest";
import { createAlert } from "../../src/alerts/alert.ts";
import { parseRule } from "../../src/alerts/rule.ts";
import { VIEWS } from "../../src/views/views.ts";
import { ACCOUNT_NAME, createFilledStore } from "../views/filled-store.ts";
import { openRig } from "./rig.tsx";

const SCREENS: Readonly<Record<string, readonly [keys: string, size?: string]>> = {
  market: [""],
  "market-160x50": ["", "160x50"],
  "market-80x24": ["", "80x24"],
  "market-40x12": ["", "40x12"],
  "market-flow": ["SbPod"],
  "market-footprint": ["u3"],
  "market-footprint-80x24": ["u", "80x24"],
  "market-heatmap": ["4"],
  "market-cost": ["ckkr"],
  account: ["A"],
  subaccounts: ["A\u001b"],
  markets: ["M"],
  funding: ["F"],
  alerts: ["N"],
  link: ["L"],
  help: ["?"],
  palette: [":eth"],
  masked: ["Ap"],
};

const RULES = ["last > 97020", "perp/2 last < 3300", "delta 5m < -3", "trades stale 10s"];

function open(size: string) {
  const [columns = 0, rows = 0] = size.split("x").map(Number);
  const alerts = RULES.map((text) => {
    const parsed = parseRule(text, { market: "perp/1", findMarket: (name) => name });
    if ("fault" in parsed) throw new Error(parsed.fault);
    return createAlert(parsed.rule, { when: text });
  });
  const log = [
    { atMs: 0, weight: "info", text: "connected" },
    { atMs: 0, weight: "warning", text: "gap  trades/perp/1  after 41" },
  ] as const;
  const menuItems = ["BTC-PERP", "ETH-PERP"].map((text) => ({ text, note: "", run: () => {} }));
  const more = { account: ACCOUNT_NAME, alerts, log, menuItems };
  return openRig({ views: VIEWS, store: createFilledStore(), columns, rows, ...more });
}

for (const [name, [keys, size = "120x40"]] of Object.entries(SCREENS))
  test(`${name} at ${size}`, async () => {
    const { screen, type, terminal } = open(size);
    await screen();
    for (const key of keys) {
      type(key);
      // A key acts on what was drawn before it.
      await screen();
    }
    const text = (await screen()).replace(/ +$/gm, "");
    terminal.close();
    await expect(`${text}\n`).toMatchFileSnapshot(`screens/${name}.txt`);
  });
