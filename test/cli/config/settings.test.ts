import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/cli/config/config-file.ts";
import type { Config } from "../../../src/cli/config/config-keys.ts";
import { resolveSettings } from "../../../src/cli/config/settings.ts";
import type { Options } from "../../../src/cli/options.ts";

const settleWith = (options: Options, from: Config = {}, env = {}) =>
  resolveSettings({ options, env }, from);
const wsUrl = (url: string, insecure = false) => settleWith({ wsUrl: url, insecure }).wsUrl;
const baseUrl = (url: string) => settleWith({ baseUrl: url }).baseUrl;

describe("addresses", () => {
  test("of a WebSocket without a path get the interface's own, and keep any other", () => {
    expect(wsUrl("wss://x.example")).toBe("wss://x.example/v1/ws");
    expect(wsUrl("wss://x.example:8443/")).toBe("wss://x.example:8443/v1/ws");
    expect(wsUrl("wss://x.example/a/b?c=d")).toBe("wss://x.example/a/b?c=d");
  });

  test("of REST are used as given, with whatever prefix they have", () => {
    expect(baseUrl("https://x.example/api/v1/")).toBe("https://x.example/api/v1");
    expect(baseUrl("https://x.example")).toBe("https://x.example");
    expect(() => baseUrl("https://x.example?a=1")).toThrow("--base-url is not such an address");
  });

  test.each(["ws://127.0.0.1:9", "ws://localhost", "ws://[::1]:4", "ws://127.3.4.5"])(
    "%s of this machine may be plain",
    (url) => {
      expect(wsUrl(url)).toContain("/v1/ws");
    },
  );

  test.each(["ws://10.0.0.1", "ws://example.com", "ws://localhost.example.com", "ws://128.0.0.1"])(
    "%s of another machine may not, unless asked for",
    (url) => {
      expect(() => wsUrl(url)).toThrow("is not encrypted");
      expect(wsUrl(url, true)).toContain("/v1/ws");
    },
  );

  test.each([
    "x",
    "http://x",
    "https://x",
    "file:///etc/passwd",
    "wss//x",
    "wss://x/#a",
    "wsx://x",
  ])("%j is none of a WebSocket", (url) => {
    expect(() => wsUrl(url, true)).toThrow("is not such an address");
  });

  test("do not carry names and passwords", () => {
    expect(() => wsUrl("wss://me:secret@x.example")).toThrow(/name or a password/);
  });
});

describe("headers", () => {
  test("are read as `Name: value`", () => {
    expect(settleWith({ header: ["X-Key: a b: c ", "y:z"] }).headers).toEqual({
      "X-Key": "a b: c",
      y: "z",
    });
  });

  test.each(["nothing", ": x", "a b: c", "a: b\r\nc: d", "a: ü"])(
    "%j is refused, and its value is not repeated",
    (line) => {
      expect(() => settleWith({ header: [line] })).toThrow(/^--header is not of its form$/);
    },
  );
});

describe("settings", () => {
  const config = parseConfig(
    `
      ws_url = "wss://file.example"
      base_url = "https://file.example/api"
      [headers]
      "X-From" = "file"
      [profiles.test]
      ws_url = "wss://profile.example"
      headers = { "X-Profile" = "1", "X-From" = "profile" }
      [aliases]
      btc = "perp/1"
      [markets."perp/1"]
      tick_size = "0.01"
      lot_size = "0.0001"
    `,
    "config.toml",
  );

  test("come from the option, then the profile, then the file", () => {
    expect(settleWith({}, config).wsUrl).toBe("wss://file.example/v1/ws");
    const profile = settleWith({ profile: "test" }, config);
    expect(profile.wsUrl).toBe("wss://profile.example/v1/ws");
    expect(profile.baseUrl).toBe("https://file.example/api");
    const given = settleWith({ profile: "test", wsUrl: "wss://given.example" }, config);
    expect(given.wsUrl).toBe("wss://given.example/v1/ws");
    expect(settleWith({}, {}).wsUrl).toBeUndefined();
  });

  test("join headers of all places, the nearer one winning", () => {
    const given: Options = { profile: "test", header: ["X-More: 2"] };
    const env = { MONITOR_HEADERS: "X-Key: 3\r\nX-More: 4\r\n" };
    expect(settleWith(given, config, env).headers).toEqual({
      "X-From": "profile",
      "X-Profile": "1",
      "X-Key": "3",
      "X-More": "2",
    });
  });

  test("hold each header once, whatever the case of its letters in each place", () => {
    const given: Options = { profile: "test", header: ["x-from: option", "X-FROM: last"] };
    expect(settleWith(given, config).headers).toEqual({ "X-FROM": "last", "X-Profile": "1" });
  });

  test("that are wrong are said with the place that they came from", () => {
    const url = "ws://far.example";
    const wrong =
      (options: Options, from: Config, env = {}) =>
      () =>
        settleWith(options, from, env);
    expect(wrong({ wsUrl: url }, {}, { MONITOR_WS_URL: url })).toThrow(/^--ws-url: ws: to far/);
    expect(wrong({}, { ws_url: url }, { MONITOR_WS_URL: url })).toThrow(/^MONITOR_WS_URL: /);
    expect(wrong({}, { ws_url: url })).toThrow(/^ws_url of the config file: /);
  });

  test("name an unknown profile and those that there are", () => {
    expect(() => settleWith({ profile: "nope" }, config)).toThrow("no such profile: nope");
    expect(() => settleWith({ profile: "constructor" }, config)).toThrow("no such profile");
  });
});

describe("requests in the background", () => {
  const rateOf = (text: string, options: Options = {}) =>
    resolveSettings({ options, env: {} }, parseConfig(text, "c")).config.rest_rate;

  test("are as many a second as the profile says, then the config, then nobody", () => {
    const text = ["rest_rate = 4", "[profiles.test]", "rest_rate = 0"].join("\n");
    expect(rateOf(text, { profile: "test" })).toBe(0);
    expect(rateOf(text)).toBe(4);
    expect(rateOf("")).toBe(undefined);
  });

  test.each(["-1", "101", '"two"'])("cannot be %s", (text) => {
    expect(() => rateOf(`rest_rate = ${text}`)).toThrow("rest_rate");
  });
});

test("the dialect is read as points by their names in JSON, and further names of fields", () => {
  const text = `
    [dialect]
    book = "snapshots"
    lists.orders = "whole"
    cursor.trades = "timestamp_ms"
    names.orderSize = ["qty_open"]
    names.ends = ["PULLED"]
  `;
  expect(resolveSettings({ options: {}, env: {} }, parseConfig(text, "c"))).toMatchObject({
    pinned: { book: "snapshots", "lists.orders": "whole", "cursor.trades": "timestamp_ms" },
    names: { orderSize: ["qty_open"], ends: ["PULLED"] },
  });
});
