import { expect, test } from "vitest";
import { CONFIG_RULES } from "../../src/commands/config-rules.ts";
import { checkConfig } from "../../src/config/config-file.ts";

const faults = (text: string) =>
  checkConfig(text, CONFIG_RULES).problems.map(
    ({ at, key, message }) => `${at?.line} ${key}: ${message}`,
  );

const EXPECTED_WS = "expected: wss://host[:port][/path], or ws:// on this machine";
const EXPECTED_REST = "expected: https://host[:port][/path], or http:// on this machine";

test("addresses and headers of a wrong form are problems of the file, where they stand", () => {
  const text = `ws_url = "https://exchange.example"
base_url = "exchange"
[headers]
"X Key" = "secret"
[profiles.test]
ws_url = "wss://user:secret@exchange.example"
base_url = "https://exchange.example/?a=1"
`;
  expect(faults(text)).toEqual([
    `1 ws_url: not such an address: https://exchange.example; ${EXPECTED_WS}`,
    `2 base_url: not such an address: exchange; ${EXPECTED_REST}`,
    '4 headers.X Key: not of its form; expected: Name = "value"',
    "6 profiles.test.ws_url: holds a name or a password; use --header instead",
    `7 profiles.test.base_url: has a query; ${EXPECTED_REST}`,
  ]);
});

test("an unencrypted address is none: an option may allow it", () => {
  expect(
    faults('ws_url = "ws://exchange.example"\nbase_url = "http://exchange.example"\n'),
  ).toEqual([]);
});
