// P4: from process start to the first bid on the terminal, compared with a bare `ws` client that prints the first bid it receives;
// with the service on the same machine, and with network latency in between.
import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { PROGRAM } from "./harness/places.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";
import { TerminalProcess } from "./harness/terminal-process.ts";

/** One-way latency to a service at the near edge of another continent. */
const LINE_MS = 20;
const WS = join(PROGRAM, "..", "..", "node_modules", "ws");
/** Printed by the bare client with a bid. */
const BID = "bid at";
const BARE = `
  const socket = new (require(${JSON.stringify(WS)}))(process.argv[1], { perMessageDeflate: false });
  socket.on("open", () => socket.send('{"type":"subscribe","channel":"bbo/perp/1"}'));
  socket.on("message", (message) => {
    const { bbo } = JSON.parse(message);
    if (bbo) process.stdout.write("${BID} " + bbo.bid?.price_ticks);
  });`;

async function startService(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const service = spawn(process.execPath, [PROGRAM, "simulate", "--seed", "7"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: service.stdout })) {
    const { ws_url: url } = JSON.parse(line) as { ws_url: string };
    return { url, process: service };
  }
  throw new Error("the simulated exchange has not started");
}

/** A proxy that forwards every chunk after a delay. @returns its local address */
async function openLine(url: URL): Promise<{ readonly url: string; readonly server: Server }> {
  const passOn = (from: Socket, to: Socket) => {
    // Nagle's algorithm would wait for the ACK of each chunk before it sends the next one, which no line does.
    to.setNoDelay();
    from.on("data", (piece) => setTimeout(() => to.writable && to.write(piece), LINE_MS));
    from.on("close", () => setTimeout(() => to.destroy(), LINE_MS));
    from.on("error", () => {});
  };
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    passOn(near, far);
    passOn(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  return { url: `ws://127.0.0.1:${port}${url.pathname}`, server };
}

async function timeTo(
  args: readonly string[],
  isShown: (text: string) => boolean,
): Promise<number> {
  const start = performance.now();
  const terminal = new TerminalProcess(args);
  const taken = await new Promise<number>((resolve) => {
    let text = "";
    terminal.onData = (data) => {
      text += data;
      if (isShown(text)) resolve(performance.now() - start);
    };
  });
  await terminal.end();
  return taken;
}

/** A price of the market, in ticks or units: nothing else in the first frames has seven digits. */
const PRICE = /[1-9],?\d{3},\d{3}|[1-9]\d,\d{3}\.\d{2}/;

async function overBareClient(effort: Effort, url: string, line: string): Promise<Figure> {
  const [bare = [], ours = []] = await measureInTurns(
    [
      () => timeTo(["-e", BARE, url], (text) => text.includes(BID)),
      () => timeTo([PROGRAM, "perp/1", "--ws-url", url], (text) => PRICE.test(text)),
    ],
    effort.pick(31, 1),
  );
  return {
    id: "P4",
    what: `start to the first price, ${line}`,
    unit: "ms",
    ours: median(ours),
    other: { name: "bare ws client", value: median(bare) },
    ratio: medianRatio(ours, bare),
    goal: atMost("ratio", 1.6),
  };
}

await runBench(async (effort) => {
  const service = await startService();
  const line = await openLine(new URL(service.url));
  try {
    return [
      await overBareClient(effort, service.url, "beside the service"),
      await overBareClient(effort, line.url, `${2 * LINE_MS} ms away`),
    ];
  } finally {
    line.server.close();
    service.process.kill();
  }
});
