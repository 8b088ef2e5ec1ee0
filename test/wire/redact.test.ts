import { expect, test } from "vitest";
import { createRedact } from "../../src/wire/redact.ts";

const TOKEN = "canary-7f3a9c51e2";

test.each([
  ["as it is", TOKEN],
  ["behind its scheme", `Bearer ${TOKEN}`],
  ["of a cookie", `theme=dark; session=${TOKEN}; path=/`],
  ["of a signature", `Signature keyId="${TOKEN}", headers="date"`],
])("the value of a header is taken out of whatever holds it: %s", (_, value) => {
  const redact = createRedact({ "X-Key": value });
  expect(redact?.(`no: ${TOKEN}, ${TOKEN}`)).toBe("no: [hidden], [hidden]");
  expect(redact?.(`{"a":"x${TOKEN}y","n":1.0}`)).toBe('{"a":"x[hidden]y","n":1.0}');
  expect(redact?.(`{"message":${JSON.stringify(`bad ${TOKEN}`)}}`)).toBe(
    '{"message":"bad [hidden]"}',
  );
});

test("what may be data stays: short or plain words and numbers, and headers that are public", () => {
  const headers = { "X-Retries": "5000", "X-Kind": "perp", "X-Level": "orderbook" };
  expect(createRedact(headers)).toBeUndefined();
  expect(createRedact({ Accept: "application/json", "X-Wallet": `0x${"ab".repeat(20)}` })).toBe(
    undefined,
  );
  expect(createRedact({})).toBeUndefined();
});

test("a value that holds another one is taken out whole", () => {
  const redact = createRedact({ a: "key-12345678", b: "key-12345678-and-more" });
  expect(redact?.("key-12345678-and-more key-12345678")).toBe("[hidden] [hidden]");
});
