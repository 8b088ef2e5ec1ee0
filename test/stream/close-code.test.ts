// How a connection that is over says what its end was called, whoever ended it.
import { afterEach, expect, test } from "vitest";
import { closingText } from "../../src/stream/ws-socket.ts";
import { OPCODE, type Play, rawFrame, sends, startRawService } from "../support/raw-service.ts";
import { closeServers, open } from "../support/received-frames.ts";

afterEach(closeServers);

const goodbye = (payload: Buffer) => sends(rawFrame(OPCODE.close, payload));
const coded = (code: number, reason = "") =>
  goodbye(Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]));

test.each<[words: string, play: Play]>([
  ["closed by the service with code 1000 (normal closure)", coded(1000)],
  ["closed by the service with code 1001 (going away)", coded(1001)],
  ["closed by the service with code 1002 (protocol error)", coded(1002)],
  ["closed by the service with code 1003 (unsupported data)", coded(1003)],
  ["closed by the service with code 1007 (invalid frame payload data)", coded(1007)],
  ["closed by the service with code 1008 (policy violation): 120000 ms", coded(1008, "120000 ms")],
  ["closed by the service with code 1009 (message too big)", coded(1009)],
  ["closed by the service with code 1010 (mandatory extension)", coded(1010)],
  ["closed by the service with code 1011 (internal server error)", coded(1011)],
  ["closed by the service with code 1012 (service restart)", coded(1012)],
  ["closed by the service with code 1013 (try again later)", coded(1013)],
  ["closed by the service with code 1014 (bad gateway)", coded(1014)],
  ["closed by the service with code 3000", coded(3000)],
  ["closed by the service with code 4999: bye", coded(4999, "bye")],
  ["closed by the service without a code (1005)", goodbye(Buffer.alloc(0))],
  ["the connection ended without a close frame (1006)", (socket) => socket.end()],
  ["the connection ended without a close frame (1006)", (socket) => socket.destroy()],
])("%s", async (words, play) => {
  const url = await startRawService(play);
  expect((await open(url)).fault).toEqual({ code: "closed", detail: words });
});

test("a code that nobody has named stands alone", () => {
  expect(closingText(1016, "")).toBe("closed by the service with code 1016");
});
