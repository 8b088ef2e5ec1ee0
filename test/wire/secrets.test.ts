import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectSecrets, createSecrets, type Secrets } from "../../src/wire/secrets.ts";
import { words } from "../support/words.ts";

const TOKEN = "canary-7f3a9c51e2";

function secretsIn(values: readonly string[], open: readonly string[] = []): Secrets {
  const secrets = createSecrets(values, open);
  if (secrets === undefined) throw new Error("nothing of these values is secret");
  return secrets;
}

/** How a service may write a value. */
const WRITTEN: readonly (readonly [name: string, write: (value: string) => string])[] = [
  ["as it is", (value) => value],
  ["in small letters", (value) => value.toLowerCase()],
  ["in capitals", (value) => value.toUpperCase()],
  ["for a URL", encodeURIComponent],
  ["in base64", (value) => Buffer.from(value).toString("base64")],
  ["in base64 with a scheme", (value) => Buffer.from(`Bearer ${value}`).toString("base64")],
  ["in base64 with a name", (value) => Buffer.from(`u:${value}!`).toString("base64")],
  ["in base64 for a URL", (value) => Buffer.from(value).toString("base64url")],
  ["in hexadecimal", (value) => Buffer.from(value).toString("hex")],
  ["with words around it", (value) => `key ${value}, expired`],
  ["in the middle of a word", (value) => `x${value}y`],
];

/** Values as keys and tokens are: long, and of more than one kind of letters. */
const value = fc
  .string({
    unit: fc.constantFrom(..."abcdefXYZ0123456789-_./+~&<'"),
    minLength: 12,
    maxLength: 40,
  })
  .filter((text) => /[a-zA-Z]/.test(text) && /[0-9]/.test(text) && !/^[-_./+~&<']/.test(text))
  .map((text) => `k${text}`);

describe("a value of a header", () => {
  test.each(WRITTEN)("is taken out of a frame where it stands %s", (_, write) => {
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!/[,;=\s]/.test(secret));
        const secrets = secretsIn([`Bearer ${secret}`]);
        const said = before + write(secret) + after;
        const frame = { type: "error", code: 400, message: said, n: 1.5e3, [said]: [said, null] };
        const hidden = secrets.redactJson(JSON.stringify(frame));
        expect(hidden).not.toContain(JSON.stringify(write(secret)).slice(1, -1));
        expect(hidden).not.toContain(JSON.stringify(secret).slice(1, -1));
        const parsed = JSON.parse(hidden);
        expect(parsed).toMatchObject({ type: "error", code: 400, n: 1500 });
        expect(parsed.message).toContain("[hidden]");
        expect(secrets.redactText(said)).not.toContain(write(secret));
      }),
    );
  });

  test.each([
    ["behind its scheme", `Bearer ${TOKEN}`],
    ["of a cookie", `theme=dark; session=${TOKEN}; path=/`],
    ["of a signature", `Signature keyId="main",signature="${TOKEN}"`],
    ["of a Basic login", `Basic ${Buffer.from(`trader:${TOKEN}`).toString("base64")}`],
    ["alone", TOKEN],
  ])("is known %s", (_, header) => {
    expect(secretsIn([header]).redactText(`no: ${TOKEN}`)).toBe("no: [hidden]");
    expect(secretsIn([header]).redactJson(`{"a":"${TOKEN}"}`)).toBe('{"a":"[hidden]"}');
  });

  test("is found where JSON has it in escapes, in pieces or behind a slash", () => {
    const secrets = secretsIn(["ab/cd/1234567890"]);
    for (const text of ["ab\\/cd\\/1234567890", "\\u0061b/cd/123456789\\u0030"]) {
      expect(secrets.redactJson(`{"key":"${text}","n":1.0}`)).toBe('{"key":"[hidden]","n":1.0}');
    }
  });

  test("is known by its beginning, where the text was cut or goes on otherwise", () => {
    const secrets = secretsIn(["sk-live-0123456789abcdefABCDEF"]);
    expect(secrets.redactText("invalid key sk-live-01234567…")).toBe("invalid key [hidden]…");
    expect(secrets.redactText("invalid key sk-live-0123****")).toBe("invalid key [hidden]****");
  });

  test("leaves valid JSON where a service has it as a number", () => {
    const secrets = secretsIn(["49293847561029384756"]);
    expect(secrets.redactJson('{"key":49293847561029384756,"n":1e2}')).toBe(
      '{"key":"[hidden]","n":1e2}',
    );
  });

  test("is taken out of what is no JSON", () => {
    const secrets = secretsIn([TOKEN]);
    for (const text of [
      `no ${TOKEN}`,
      `{"a":"${TOKEN}`,
      `[${TOKEN}]`,
      `"${TOKEN}`,
      `\u0000${TOKEN}`,
    ]) {
      expect(secrets.redactJson(text)).not.toContain(TOKEN);
    }
  });
});

test("a message as large as they come is looked through in a moment", () => {
  const secrets = secretsIn([TOKEN]);
  const large = 8 * 1024 * 1024;
  for (const text of ["x".repeat(large), "\\u0061".repeat(large / 6), '\\"'.repeat(large / 2)]) {
    expect(secrets.redactJson(`{"a":"${text}","b":"${TOKEN}"}`).endsWith('"b":"[hidden]"}')).toBe(
      true,
    );
    expect(secrets.redactJson(`"${text}`).length).toBe(text.length + 1);
  }
});

describe("data", () => {
  const numbers = ["5", "42", "5000", "12345", "1784300000", "0.0001", "127.0.0.1", "-1.5e3"];
  const frame = `{"type":"update", "channel":"bbo/perp/1","timestamp_ns":"1784300000123456789","bbo":{"bid":{"price_ticks":"12345","size_base_lots":"5000"},"ask":null},"n":12345,"f":0.0001}`;

  test.each(numbers)("are exactly what came where a header is the number %s", (header) => {
    const secrets = createSecrets([header]);
    expect(secrets?.redactJson(frame) ?? frame).toBe(frame);
    const page = `[{"price":"${header}","id":${/^[0-9.]+$/.test(header) && header.split(".").length < 3 ? header : 1}}]`;
    expect(secrets?.redactJson(page) ?? page).toBe(page);
  });

  test.each(
    words(`
    perp live update channel isolated restricted bbo/perp/1 true null application/json message code
  `),
  )("are exactly what came where a header is the word %s", (header) => {
    const secrets = createSecrets([`Token ${header}`, header]);
    const message = `{"type":"update","channel":"bbo/perp/1","a":"${header}","${header}":true,"message":"","code":null}`;
    expect(secrets?.redactJson(message) ?? message).toBe(message);
  });

  test("are exactly what came, letter by letter, beside what was hidden", () => {
    const secrets = secretsIn([TOKEN]);
    const before = String.raw`{ "a" : "\u00e9\/" ,	"n":-0.0,"big":123456789012345678901234567890, "e":1E+2, "s":"`;
    const after = String.raw`"  ,"t":"Ã©\ud83d" }`;
    expect(secrets.redactJson(`${before}${TOKEN}${after}`)).toBe(`${before}[hidden]${after}`);
  });

  test("of a message without a value come back as the same text", () => {
    const secrets = secretsIn([`Bearer ${TOKEN}`, "X1234"]);
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes("X1234"));
        expect(secrets.redactJson(text)).toBe(text);
      }),
    );
  });

  test("hold owners of the listings and what is said openly, although a header says it, too", () => {
    const [owner, address] = [`0x${"ab".repeat(20)}`, "Demo1Address1Demo1Address1Demo1Addr"];
    expect(createSecrets([owner])).toBeUndefined();
    expect(createSecrets([address], [`account/${address}/0`])).toBeUndefined();
    expect(secretsIn([address]).redactJson(`{"a":"${address}"}`)).toBe('{"a":"[hidden]"}');
  });
});

describe("a short value, or one that is a word or a number", () => {
  test.each(["hush1", "5000", "hunter", "perp"])(
    "is hidden in words, and there alone: %s",
    (short) => {
      const secrets = secretsIn([short]);
      expect(secrets.redactText(`bad key ${short}.`)).toBe("bad key [hidden].");
      expect(secrets.redactText(`bad key x${short}x`)).toBe(`bad key x${short}x`);
      expect(secrets.redactJson(`{"code":400,"message":"${short}"}`)).toBe(
        '{"code":400,"message":"[hidden]"}',
      );
      expect(secrets.redactJson(`{"note":"your key ${short}"}`)).toBe(
        '{"note":"your key [hidden]"}',
      );
    },
  );

  test("is nothing at all with less than four letters", () => {
    expect(createSecrets(["5", "on", "abc", "", "Bearer"].slice(0, 4))).toBeUndefined();
  });
});

test("what is secret of headers is made once, with what was open then", () => {
  const headers = { a: TOKEN, b: "open-value-1" };
  const secrets = collectSecrets(headers, ["an open-value-1 here"]);
  expect(collectSecrets(headers)).toBe(secrets);
  expect(secrets?.redactText(`${TOKEN} open-value-1`)).toBe("[hidden] open-value-1");
  expect(collectSecrets({})).toBeUndefined();
});
