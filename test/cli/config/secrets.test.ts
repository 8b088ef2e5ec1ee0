// What is taken out of every text that the program tells of itself.
import { expect, test } from "vitest";
import { hideSecrets } from "../../../src/cli/config/secrets.ts";

test.each([
  [["1", "--header", "X-Key: hush-hush"], {}],
  [["1", "--header", "X-Key:hush-hush"], {}],
  [["1", "--header=X-Key: hush-hush"], {}],
  [["1", "--header", "hush-hush"], {}],
  [["1", "--hedaer", "X-Key: hush-hush"], {}],
  [["1"], { MONITOR_HEADERS: "X-Key:hush-hush\nY-Key: other" }],
])("the value of a header is hidden, however it was given: %j %j", (argv, env) => {
  expect(hideSecrets("it was hush-hush here", argv, env)).toBe("it was [hidden] here");
});

test("addresses, channels, times and schemes are no secrets", () => {
  const argv = [
    "--ws-url",
    "wss://x.example:8443",
    "bbo/perp/1",
    "--since",
    "2026-01-01T10:00:00Z",
  ];
  const text = [...argv, "Bearer"].join(" ");
  expect(hideSecrets(text, [...argv, "--header", "Authorization: Bearer abcdef"], {})).toBe(text);
});
