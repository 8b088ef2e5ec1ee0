import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALERT_FORMS, ALERT_OPTIONS } from "../../scripts/docs/alert-forms.ts";
import { formatAlert, MARKET_NUMBERS, parseAlert } from "../../src/alerts/alert-rule.ts";
import { OPTIONS } from "../../src/args/options.ts";
import { alertRule as rule } from "../support/alert-rule.ts";
import { runs } from "../support/soak.ts";
import { ACCOUNT as account } from "./alert-rig.ts";

const fault = (text: string) => {
  const parsed = parseAlert(text);
  return "fault" in parsed ? parsed.fault : "no fault";
};

describe("an alert in words", () => {
  test("names a number of a market, a direction and a level, exactly", () => {
    expect(rule("perp/1 last > 65000")).toEqual({
      subject: { kind: "number", market: { type: "perp", id: "1" }, name: "last" },
      crossing: {
        direction: ">",
        level: { mantissa: 65000n, places: 0 },
        unit: "",
        hysteresis: { mantissa: 0n, places: 0 },
      },
      coolDownMs: undefined,
      forMs: undefined,
      untilMs: undefined,
    });
    expect(rule("spot/2 bid < 0.000000000000000001").crossing?.level).toEqual({
      mantissa: 1n,
      places: 18,
    });
  });

  test("can have a unit, hysteresis, a cool-down and an end", () => {
    const options = "hysteresis 0.5 every 10m until 2027-01-01T00:00:00Z";
    const parsed = rule(`perp/1 spread crosses 5 bp ${options}`);
    expect(parsed.crossing).toMatchObject({ unit: "bp", hysteresis: { mantissa: 5n, places: 1 } });
    expect(parsed.coolDownMs).toBe(600_000);
    expect(parsed.untilMs).toBe(Date.UTC(2027, 0, 1));
    expect(rule("perp/1 funding < 0 every for 8h")).toMatchObject({
      coolDownMs: 60_000,
      forMs: 28_800_000,
    });
    expect(rule("perp/1 imbalance > 70").crossing?.unit).toBe("%");
  });

  test("watches feeds, fills, orders, positions and any field of an account", () => {
    expect(rule("perp/1 book stale every").subject).toMatchObject({ kind: "stale", feed: "book" });
    expect(rule("perp/1 gap").subject).toMatchObject({ kind: "gap", feed: "trades" });
    expect(rule(`${account} fill every`).subject.kind).toBe("fill");
    expect(rule(`${account} order-gone`).subject.kind).toBe("order-gone");
    expect(rule(`${account} position perp/1 < 0`).subject.kind).toBe("position");
    expect(rule(`${account} margin.ratio < 1.5`).subject).toMatchObject({ name: "margin.ratio" });
  });

  test("watches risk: liquidation, profit, margin, stale channels and the connection, with the unit glued or not", () => {
    for (const unit of ["%", " %", ""]) {
      const parsed = rule(`perp/1 change 5m > 1${unit}`);
      expect(parsed.crossing).toMatchObject({ unit: "%", level: { mantissa: 1n } });
      expect(formatAlert(parsed)).toBe("perp/1 change 5m > 1 %");
    }
    for (const unit of ["base", "lots"]) {
      expect(rule(`perp/1 delta 1m < -200 ${unit}`)).toMatchObject({
        subject: { name: "delta", windowMs: 60_000 },
        crossing: { unit, level: { mantissa: -200n } },
      });
    }
    expect(rule(`${account} liquidation any < 10%`).subject).toMatchObject({ kind: "liquidation" });
    expect(rule(`${account} liquidation perp/2 < 10% hysteresis 1%`)).toMatchObject({
      subject: { kind: "liquidation", market: { type: "perp", id: "2" } },
      crossing: { unit: "%", hysteresis: { mantissa: 1n, places: 0 } },
    });
    expect(rule(`${account} upnl perp/1 < -500`).subject).toMatchObject({ kind: "upnl" });
    expect(rule(`${account} margin > 80%`).subject).toMatchObject({ kind: "margin" });
    expect(rule(`${account} margin > 80`).subject).toMatchObject({ kind: "field", name: "margin" });
    expect(rule("perp/1 trades stale 30s every").subject).toMatchObject({ heldMs: 30_000 });
    expect(rule("offline 10s every 0s")).toMatchObject({
      subject: { kind: "offline", heldMs: 10_000 },
      coolDownMs: 0,
    });
    expect(rule("offline").subject).toEqual({ kind: "offline" });
  });

  test("is of a form that the reference has, each of which is read", () => {
    const address = account.split("/")[1] ?? "";
    for (const form of ALERT_FORMS.flatMap(([forms]) => forms)) {
      const text = form.replace("/A/", `/${address}/`).replace("/ID ", "/3 ");
      expect(fault(text), form).toBe("no fault");
      expect(formatAlert(rule(formatAlert(rule(text))))).toBe(formatAlert(rule(text)));
      const options = form.includes(">") || form.includes("<") ? ALERT_OPTIONS : [["every"]];
      for (const [option = ""] of options) expect(fault(`${text} ${option}`)).toBe("no fault");
    }
    for (const name of Object.keys(MARKET_NUMBERS))
      expect(ALERT_FORMS.flat(2).some((form) => form.startsWith(`perp/1 ${name} `))).toBe(true);
    const starts = ALERT_FORMS.flatMap(([forms]) => forms.map((form) => form.replace(/ .*$/, "")));
    expect([...OPTIONS.alert.completes]).toEqual([...new Set(starts)]);
  });

  test("watches any subaccount of an address", () => {
    const any = account.replace(/3$/, "any");
    expect(rule(`${any} margin > 80%`).subject).toEqual({
      kind: "margin",
      account: { address: any.split("/")[1], subaccountId: undefined },
    });
    for (const words of [
      "liquidation any < 10 %",
      "upnl perp/1 < -5",
      "fill every 60s",
      "equity < 1",
    ])
      expect(formatAlert(rule(`${any} ${words}`))).toBe(`${any} ${words}`);
    expect(fault("account/short/any fill")).toContain("an alert begins with");
    expect(fault(`${any}/1 fill`)).toContain("account/<address>/any");
  });

  test.each([
    "perp/1 delta 1m < -200 lots",
    "perp/1 delta 90s > 0.5 base every 60s",
    "perp/1 cvd crosses 0 base",
    "perp/1 vwap > 65000",
    "perp/1 trade > 5 quote every 10s",
    "perp/1 change 5m < -1.5 %",
  ])("is written as it was read: %s", (text) => expect(formatAlert(rule(text))).toBe(text));

  test.each([
    ["", "an alert begins with a market"],
    ["offline 10", '"10" is not known'],
    ["perp/1 trades stale 30", '"30" is not known'],
    ["perp/1 last > 5%", "the level must be a number"],
    ["perp/1 change > 1%", "change needs a time of 1s to 24h"],
    ["perp/1 change 500ms > 5", "change needs a time"],
    ["perp/1 delta > 5", "delta needs a time of 1s to 24h"],
    ["perp/1 delta 25h > 5", "delta needs a time"],
    ["perp/1 trade < 5 base", "watched for being large"],
    ["perp/1 vwap > 5 lots", '"lots" is not known'],
    [
      `${account} liquidation < 10%`,
      "liquidation needs its market, as in: liquidation perp/1 < 10%",
    ],
    [`${account} liquidation BTC < 10%`, "liquidation needs its market"],
    [`${account} upnl`, "upnl needs its market"],
    [`${account} equity > 80%`, "the level must be a number"],
    ["BTC last > 1", 'not with "BTC"'],
    ["perp/1", "something is missing"],
    ["perp/1 lats > 1", "did you mean last?"],
    ["perp/1 last 65000", "expected >, < or crosses"],
    ["perp/1 last >", "the level must be a number"],
    ["perp/1 last > 6e4", "the level must be a number"],
    ["perp/1 last > 5 bp", '"bp" is not known'],
    ["perp/1 last > 5 hysteresis -1", "cannot be negative"],
    ["perp/1 last > 5 evry 5m", "did you mean every?"],
    ["perp/1 last > 5 until tomorrow", "until needs a time"],
    ["perp/1 last > 5 until 2027-02-31", "until needs a time"],
    ["perp/1 last > 5 for", "for needs a time"],
    [`${account} position > 5`, "position needs its market"],
    ["account/short/3 fill", "an alert begins with"],
  ])("%j is refused with what is wrong", (text, words) => {
    expect(fault(text)).toContain(words);
  });

  test("never throws, whatever the words", () => {
    const some =
      `perp/1 ${account} last book stale > 5 bp every 5m for hysteresis position crosses liquidation ` +
      "any upnl margin offline 10% 30s x";
    const word = fc.constantFrom(...some.split(" "));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join(" ")),
        ),
        (text) => {
          const parsed = parseAlert(text);
          // What is understood means the same when it is written down and read again.
          if ("rule" in parsed) expect(rule(formatAlert(parsed.rule))).toEqual(parsed.rule);
        },
      ),
      { numRuns: runs(400, 20_000) },
    );
  });
});
