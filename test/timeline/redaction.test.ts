import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedaction, Recorder } from "../../src/timeline/recorder.ts";
import { parseChannel } from "../../src/wire/channels.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const BASE58 = [..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"];
const base58 = fc
  .array(fc.constantFrom(...BASE58), { minLength: 32, maxLength: 44 })
  .map((letters) => letters.join(""))
  .filter((text) => /[A-Za-z]/.test(text));
const hex = fc
  .array(fc.constantFrom(..."0123456789abcdefABCDEF"), { minLength: 40, maxLength: 40 })
  .map((digits) => `0x${digits.join("")}`);

describe("redaction", () => {
  test("leaves no address, and gives each one a stand-in of its own that is still an address", () => {
    const addresses = fc.uniqueArray(base58, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(addresses, fc.array(hex), (names, owners) => {
        const redact = createRedaction();
        const channels = names.map((name) => `account/${name}/0`);
        const line = JSON.stringify({ names, owners, channels });
        const redacted = redact(line);
        for (const address of [...names, ...owners]) expect(redacted).not.toContain(address);
        const shown = JSON.parse(redacted);
        expect(new Set(shown.names).size).toBe(names.length);
        expect(shown.channels).toEqual(shown.names.map((name: string) => `account/${name}/0`));
        for (const channel of shown.channels) expect(parseChannel(channel)?.kind).toBe("account");
        expect(redact(line)).toBe(redacted);
      }),
    );
  });

  test("knows an address behind an escape of JSON, in a text and in a text within one", () => {
    for (const address of ["7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", "n".repeat(32)]) {
      for (const escaped of ["\n", "\r\n", "\t", "\u0001", "\\\n", '"']) {
        const redact = createRedaction();
        const message = JSON.stringify({ message: `unknown:${escaped}${address}` });
        const line = redact(JSON.stringify({ in: message, event: { message } }));
        expect(line).not.toContain(address);
        const { in: within, event } = JSON.parse(line);
        const shown = `unknown:${escaped}${redact(address)}`;
        expect(JSON.parse(within)).toEqual({ message: shown });
        expect(JSON.parse(event.message)).toEqual({ message: shown });
      }
    }
  });

  test("knows an address again in whatever case its hex digits are written", () => {
    const digits = "1f9840a85d5af5bf1d1762f925bdaddc4201f984";
    const redact = createRedaction();
    expect(redact(`0x${digits.toUpperCase()}`)).toBe(redact(`0x${digits}`));
  });

  test("leaves numbers, hashes and words alone", () => {
    const line = `{"id":"${"7".repeat(39)}","tx":"0x${"a".repeat(64)}","word":"subscribe orderbook/perp/1"}`;
    expect(createRedaction()(line)).toBe(line);
  });

  test("reaches every line of a recording, and the host in its heading", () => {
    const address = "So1anaAddressAddressAddressAddress22";
    const lines: string[] = [];
    const recorder = new Recorder({
      clock: createVirtualClock(),
      settings: {
        ...SETTINGS,
        redacted: true,
        channels: [`accounts/${address}`],
        ws_url: "wss://secret.example/v1/ws",
      },
      write: (line) => lines.push(line),
    });
    recorder.event({ type: "subscribing", atMs: 1, channel: `accounts/${address}` });
    const socket = recorder.sockets((handlers) => {
      handlers.onMessage(`{"channel":"accounts/${address}"}`);
      return { send: () => {}, ping: () => {}, terminate: () => {} };
    })({ onOpen() {}, onMessage() {}, onBinary() {}, onPong() {}, onEnd() {} });
    socket.send(`{"type":"subscribe","channel":"accounts/${address}"}`);
    const text = lines.join("");
    expect(text).not.toContain(address);
    expect(text).not.toContain("secret.example");
    expect(text.match(/accounts\/Redacted1+2/g)?.length).toBe(4);
  });
});
