// 5: from the start of the process to its first frame, over a bare Node that writes a word; and to the first price of a service
// 40 ms away, over a bare client that prints the first one it hears.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { compare, inTurns, type Row } from "./measure.ts";
import { FRAME_END, openBareClient, PROGRAM, simulate, TerminalProcess } from "./processes.ts";

/** One way. */
const LINE_MS = 20;
const TURNS = 15;
const NOBODY = "ws://127.0.0.1:9";
/** Nothing else in the first frames looks like a price. */
const PRICE = /\d{2},\d{3}\.\d{2}/;

async function timeTo(what: RegExp, open: () => TerminalProcess): Promise<number> {
  const startMs = performance.now();
  const terminal = open();
  await terminal.shows(what);
  const takenMs = performance.now() - startMs;
  await terminal.end();
  return takenMs;
}

/** Passes every chunk on after a while. @returns its address */
async function openLine(address: string): Promise<string> {
  const far = new URL(address);
  const pass = (from: Socket, to: Socket) => {
    // Nagle's algorithm would wait for the answer to each chunk.
    to.setNoDelay();
    from.on("data", (chunk) => setTimeout(() => to.writable && to.write(chunk), LINE_MS));
    from.on("close", () => setTimeout(() => to.destroy(), LINE_MS));
    from.on("error", () => {});
  };
  const server = createServer((near) => {
    const other = connect(Number(far.port), far.hostname);
    pass(near, other);
    pass(other, near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}${far.pathname}`;
}

export async function measure(): Promise<readonly Row[]> {
  const line = await openLine((await simulate()).ws_url);
  const monitor = (url: string) => new TerminalProcess([PROGRAM, "perp/1", "--ws-url", url]);
  const word = () => new TerminalProcess(["-e", "process.stdout.write('word')"]);
  const [frame = [], node = [], price = [], bare = []] = await inTurns(TURNS, [
    () => timeTo(FRAME_END, () => monitor(NOBODY)),
    () => timeTo(/word/, word),
    () => timeTo(PRICE, () => monitor(line)),
    () => timeTo(/bid/, () => openBareClient(line)),
  ]);
  const what = `start to the first price, ${2 * LINE_MS} ms away`;
  return [
    compare("start to the first frame", "ms", [frame, node], ["bare Node", "≤", 3]),
    compare(what, "ms", [price, bare], ["bare client", "≤", 1.4]),
  ];
}
