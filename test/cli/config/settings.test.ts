import { describe, expect, test } from "vitest";
import { parseBaseUrl, parseHeaders, parseWsUrl } from "../../../src/cli/config/address.ts";
import { parseConfig } from "../../../src/cli/config/config-file.ts";
import type { Config } from "../../../src/cli/config/config-keys.ts";
import { resolveSettings } from "../../../src/cli/config/settings.ts";
import type { Options } from "../../../src/cli/context.ts";

describe("addresses", () => {
  test("of a WebSocket without a path get the interface's own, and keep any other", () => {
    expect(parseWsUrl("wss://x.example", false)).toBe("wss://x.example/v1/ws");
    expect(parseWsUrl("wss://x.example:8443/", false)).toBe("wss://x.example:8443/v1/ws");
    expect(parseWsUrl("wss://x.example/a/b?c=d", false)).toBe("wss://x.example/a/b?c=d");
  });

  test("of REST are used as given, with whatever prefix they have", () => {
    expect(parseBaseUrl("https://x.example/api/v1/", false)).toBe("https://x.example/api/v1");
    expect(parseBaseUrl("https://x.example", false)).toBe("https://x.example");
    expect(() => parseBaseUrl("https://x.example?a=1", false)).toThrow("--base-url has a query");
  });

  test.each(["ws://127.0.0.1:9", "ws://localhost", "ws://[::1]:4", "ws://127.3.4.5"])(
    "%s of this machine may be plain",
    (url) => {
      expect(parseWsUrl(url, false)).toContain("/v1/ws");
    },
  );

  test.each(["ws://10.0.0.1", "ws://example.com", "ws://localhost.example.com", "ws://128.0.0.1"])(
    "%s of another machine may not, unless asked for",
    (url) => {
      expect(() => parseWsUrl(url, false)).toThrow("is not encrypted");
      expect(parseWsUrl(url, true)).toContain("/v1/ws");
    },
  );

  test.each(["", "x", "http://x", "https://x", "file:///etc/passwd", "wss//x", "javascript:1"])(
    "%j is none of a WebSocket",
    (url) => {
      expect(() => parseWsUrl(url, true)).toThrow("is not such an address");
    },
  );

  test("of a WebSocket have no fragment, which no handshake can carry", () => {
    expect(() => parseWsUrl("wss://x.example/#a", false)).toThrow("--ws-url has a fragment");
    expect(() => parseBaseUrl("https://x.example/#a", false)).toThrow("--base-url has a fragment");
  });

  test("do not carry names and passwords", () => {
    expect(() => parseWsUrl("wss://me:secret@x.example", false)).toThrow(/name or a password/);
  });
});

describe("headers", () => {
  test("are read as `Name: value`", () => {
    expect(
      parseHeaders([
        ["X-Key: a b: c ", ""],
        ["y:z", ""],
      ]),
    ).toEqual({ "X-Key": "a b: c", y: "z" });
  });

  test.each(["nothing", ": x", "a b: c", "a: b\r\nc: d", "a: ü"])(
    "%j is refused, and its value is not repeated",
    (line) => {
      expect(() => parseHeaders([[line, "MONITOR_HEADERS"]])).toThrow(
        "MONITOR_HEADERS is not of its form",
      );
    },
  );
});

describe("settings", () => {
  const settleWith = (options: Options, from: Config = config, env = {}) =>
    resolveSettings({ options, env }, from);
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
    expect(settleWith({}).wsUrl).toBe("wss://file.example/v1/ws");
    const profile = settleWith({ profile: "test" });
    expect(profile.wsUrl).toBe("wss://profile.example/v1/ws");
    expect(profile.baseUrl).toBe("https://file.example/api");
    const given = settleWith({ profile: "test", wsUrl: "wss://given.example" });
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
    expect(settleWith(given).headers).toEqual({ "X-FROM": "last", "X-Profile": "1" });
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
    expect(() => settleWith({ profile: "nope" })).toThrow("no such profile: nope");
    expect(() => settleWith({ profile: "constructor" })).toThrow("no such profile");
  });
});

describe("requests in the background", () => {
  const rateOf = (text: string, options: Options = {}) =>
    resolveSettings({ options, env: {} }, parseConfig(text, "c")).restRate;

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
