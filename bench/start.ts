// 5: from the start of the process to its first frame, over a bare Node that writes a word; and to the first price of a service
// 40 ms away, over a bare client that prints the first one it hears.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { inTurns, median, medianRatio, type Row } from "./measure.ts";
import { FRAME_END, openBareClient, PROGRAM, simulate, TerminalProcess } from "./processes.ts";

/** One way. */
const LINE_MS = 20;
const TURNS = 15;
const NOBODY = "ws://127.0.0.1:9";
/** Nothing else in the first frames looks like a price. */
const PRICE = /\d{2},\d{3}\.\d{2}/;
const END = new RegExp(FRAME_END.replace(/[[?]/g, "\\$&"));

async function timeTo(what: RegExp, open: () => TerminalProcess): Promise<number> {
  const startMs = performance.now();
  const terminal = open();
  await terminal.shows(what);
  const takenMs = performance.now() - startMs;
  await terminal.end();
  return takenMs;
}

/** Passes every chunk on after a while. @returns its address */
async function openLine(address: string) {
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
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}${far.pathname}`, close: () => server.close() };
}

export async function measure(): Promise<readonly Row[]> {
  const exchange = await simulate();
  const line = await openLine(exchange.ws_url);
  const monitor = (url: string) => new TerminalProcess([PROGRAM, "perp/1", "--ws-url", url]);
  const word = () => new TerminalProcess(["-e", "process.stdout.write('word')"]);
  const [frame = [], node = [], price = [], bare = []] = await inTurns(TURNS, [
    () => timeTo(END, () => monitor(NOBODY)),
    () => timeTo(/word/, word),
    () => timeTo(PRICE, () => monitor(line.url)),
    () => timeTo(/bid/, () => openBareClient(line.url)),
  ]);
  line.close();
  exchange.close();
  return [
    {
      ...{ what: "start to the first frame, over a bare Node", unit: "ms", ours: median(frame) },
      ...{ ratio: medianRatio(frame, node), goal: ["ratio", "≤", 3] },
      other: { name: "bare Node", value: median(node) },
    },
    {
      what: `start to the first price, ${2 * LINE_MS} ms away, over a bare client`,
      ...{ unit: "ms", ours: median(price), ratio: medianRatio(price, bare) },
      ...{ other: { name: "bare client", value: median(bare) }, goal: ["ratio", "≤", 1.4] },
    },
  ];
}
