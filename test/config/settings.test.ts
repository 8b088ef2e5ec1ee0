import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/config-file.ts";
import { parseBaseUrl, parseHeaders, parseWsUrl } from "../../src/config/service-address.ts";
import { type Given, settle } from "../../src/config/settings.ts";

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
    expect(parseHeaders(["X-Key: a b: c ", "y:z"])).toEqual({ "X-Key": "a b: c", y: "z" });
  });

  test.each(["nothing", ": x", "a b: c", "a: b\r\nc: d", "a: ü"])(
    "%j is refused, and its value is not repeated",
    (line) => {
      expect(() => parseHeaders([line])).toThrow("--header is not of its form");
    },
  );
});

describe("settings", () => {
  const none: Given = { isInsecureAllowed: false };
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
    expect(settle(none, config).wsUrl).toBe("wss://file.example/v1/ws");
    const profile = settle({ ...none, profile: "test" }, config);
    expect(profile.wsUrl).toBe("wss://profile.example/v1/ws");
    expect(profile.baseUrl).toBe("https://file.example/api");
    const given = settle({ ...none, profile: "test", wsUrl: "wss://given.example" }, config);
    expect(given.wsUrl).toBe("wss://given.example/v1/ws");
    expect(settle(none, {}).wsUrl).toBeUndefined();
  });

  test("join headers of all places, the nearer one winning", () => {
    const given: Given = { ...none, profile: "test", headers: ["X-More: 2"] };
    expect(settle(given, config).headers).toEqual({
      "X-From": "profile",
      "X-Profile": "1",
      "X-More": "2",
    });
  });

  test("hold each header once, whatever the case of its letters in each place", () => {
    const given: Given = { ...none, profile: "test", headers: ["x-from: option", "X-FROM: last"] };
    expect(settle(given, config).headers).toEqual({ "X-FROM": "last", "X-Profile": "1" });
  });

  test("name an unknown profile and those that there are", () => {
    expect(() => settle({ ...none, profile: "nope" }, config)).toThrow("no such profile: nope");
    expect(() => settle({ ...none, profile: "constructor" }, config)).toThrow("no such profile");
  });
});

describe("requests in the background", () => {
  const rateOf = (restRate: string | undefined, text = "") =>
    settle({ restRate, isInsecureAllowed: false }, parseConfig(text, "c")).restRate;

  test("are as many a second as the option says, then the config, then nobody", () => {
    expect(rateOf("0.5", "rest_rate = 4")).toBe(0.5);
    expect(rateOf(undefined, "rest_rate = 4")).toBe(4);
    expect(rateOf("0")).toBe(0);
    expect(rateOf(undefined)).toBe(undefined);
  });

  test.each(["-1", "101", "two", "1e2", ""])("cannot be %j", (text) => {
    expect(() => rateOf(text)).toThrow(/--rest-rate: .* is no such number/);
  });
});
