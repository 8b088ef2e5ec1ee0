// A simulator on a virtual clock with real sockets: the test moves time, then waits until all of it has arrived.
import { once } from "node:events";
import { request } from "undici";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { BUILT_IN } from "../../src/simulator/built-in.ts";
import type { TradeRow } from "../../src/simulator/exchange/log.ts";
import { checkScenario, type Scenario } from "../../src/simulator/scenario.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { World } from "../../src/simulator/world.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

/** Two perpetual markets and a spot market. */
const MARKETS = ["perp/1", "perp/2", "spot/1"];
/** In the middle of an hour. */
export const START_MS = Date.UTC(2026, 2, 3, 4, 25, 6, 789);

export interface RigOptions {
  readonly seed?: number;
  readonly history?: number;
  /** Name of a built-in scenario, or fields of one with three markets. */
  readonly scenario?: string | object;
  readonly clock?: VirtualClock;
}

export function scenarioOf(scenario: string | object): Scenario {
  if (typeof scenario === "string") return checkScenario(BUILT_IN[scenario], scenario);
  return checkScenario({ markets: MARKETS, ...scenario }, "test");
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

/** Everything is closed with the test. */
export async function startRig(options: RigOptions = {}) {
  const { seed = 1, scenario = {}, history, clock = createVirtualClock(START_MS) } = options;
  const abandoned = new AbortController().signal;
  const setup = { seed, scenario: scenarioOf(scenario), history, port: 0, clock };
  const simulator = await startSimulator({ ...setup, abandoned });
  onTestFinished(() => simulator.close());
  const { announcement, world } = simulator;
  const clients: Client[] = [];
  return {
    simulator,
    announcement,
    world,
    clock,
    async connect() {
      const client = await openClient(announcement.ws_url);
      clients.push(client);
      return client;
    },
    /** Lets simulated time pass, at most a second at once, and waits until everything has arrived everywhere. */
    async pass(ms: number, stepMs = 1000) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left));
        for (const client of clients) await client.settle();
      }
    },
    /** Asks a listing; `OWNER` stands for the published owner. */
    async get(path: string, method: "GET" | "POST" = "GET") {
      const url = announcement.base_url + path.replace("OWNER", announcement.account.owner);
      const { statusCode, headers, body } = await request(url, { method, reset: true });
      // biome-ignore lint/suspicious/noExplicitAny: what a body holds is what the tests find out
      const value: any = await body.json();
      return { status: statusCode, headers, value };
    },
  };
}

const withSize = (row: TradeRow) => ({
  ...row,
  sizeLots: Math.abs(row.takerLots),
  takerIsBid: row.takerLots > 0,
});

/** Trades of a market, or fills of a published subaccount, oldest first. */
export function tradesOf({ exchange }: World, market: number) {
  return exchange.trades.since(0, { value: market, in: ["market"] }).map(withSize);
}
export function fillsOf({ catalogue, exchange }: World, subaccount: number) {
  const value = catalogue.accounts[subaccount]?.index ?? -1;
  return exchange.trades.since(0, { value, in: ["maker", "taker"] }).map(withSize);
}

/** A book as it is on the wire. */
export function bookOf({ exchange }: World, market: number) {
  const side = (isBid: boolean) =>
    (exchange.markets[market]?.book.side(isBid) ?? [])
      .map((level) => ({
        price_ticks: `${level.priceTicks}`,
        size_base_lots: `${level.sizeLots}`,
      }))
      .reverse();
  return { bids: side(true), asks: side(false) };
}

/** Decimal text as a whole number of millionths. */
export function millionths(text: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  return sign * BigInt(whole + fraction.padEnd(6, "0"));
}

/** Writes down everything that one connection brings. */
export class Client {
  readonly socket: WebSocket;
  /** Text messages as they came. */
  readonly texts: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: what a frame holds is what the tests find out
  readonly frames: any[] = [];
  closeCode: number | undefined;
  /** HTTP status in place of an upgrade, with Retry-After. */
  refused: readonly [number, string | undefined] | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.#read(String(data)));
    socket.on("close", (code) => {
      this.closeCode = code;
    });
    // A close follows.
    socket.on("error", () => {});
    socket.on("unexpected-response", (sent, response) => {
      this.refused = [response.statusCode ?? 0, response.headers["retry-after"]];
      sent.destroy();
    });
  }

  #read(text: string): void {
    this.texts.push(text);
    try {
      this.frames.push(JSON.parse(text));
    } catch {
      // It counts as unreadable.
    }
  }

  /** Count of text messages that are no JSON. */
  get unreadable(): number {
    return this.texts.length - this.frames.length;
  }

  /** Sends text as it is, bytes as a binary message, anything else as JSON, and waits for what comes of it. @returns that */
  async say(value: unknown) {
    const from = this.frames.length;
    const isReady = typeof value === "string" || Buffer.isBuffer(value);
    this.socket.send(isReady ? value : JSON.stringify(value));
    await this.settle();
    return this.frames.slice(from);
  }

  async subscribe(...channels: string[]) {
    for (const channel of channels) await this.say({ type: "subscribe", channel });
  }

  /** Waits until everything that the service has sent so far has arrived, or the connection has ended: a pong comes last. */
  async settle(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.socket.off("close", done);
        this.socket.off("pong", done);
        resolve();
      };
      this.socket.once("close", done);
      this.socket.once("pong", done);
      this.socket.ping();
    });
  }

  /** Update frames of a channel so far. */
  updates(channel: string) {
    return this.frames.filter((frame) => frame?.type === "update" && frame.channel === channel);
  }

  /** Frames of a sequenced channel that do not name the one before. */
  gaps(channel: string): number {
    const frames = this.updates(channel);
    return frames.slice(1).filter((frame, i) => frame.previous_sequence !== frames[i].sequence)
      .length;
  }

  /** The book that the frames of a channel add up to, best levels first. */
  book(channel: string) {
    const side = (name: "bids" | "asks") => {
      const sizes = new Map<string, string>();
      for (const { previous_sequence, orderbook } of this.updates(channel)) {
        if (previous_sequence === null) sizes.clear();
        for (const level of orderbook[name]) sizes.set(level.price_ticks, level.size_base_lots);
      }
      const sign = name === "asks" ? 1 : -1;
      return [...sizes]
        .filter(([, size_base_lots]) => size_base_lots !== "0")
        .map(([price_ticks, size_base_lots]) => ({ price_ticks, size_base_lots }))
        .sort((a, b) => sign * (Number(a.price_ticks) - Number(b.price_ticks)));
    };
    return { bids: side("bids"), asks: side("asks") };
  }
}

/** Opens a socket, or has it refused; frames that come with the handshake are not missed. */
async function openClient(url: string): Promise<Client> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  const client = new Client(socket);
  await Promise.race(["open", "unexpected-response"].map((event) => once(socket, event)));
  return client;
}
