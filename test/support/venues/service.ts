// One service on loopback that speaks the interface in a house style, and holds the ledger that clients are held to. Time passes
// only when it is told to (`advance`), so that a test decides how quickly twenty seconds go by.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { listen } from "../listen.ts";
import {
  Exchange,
  INTERVALS_MS,
  type Interval,
  type Market,
  type Mode,
  STEP_MS,
} from "./exchange.ts";
import {
  accountFeed,
  type Body,
  bboFeed,
  bookFeed,
  candleFeed,
  catalogueFeed,
  type Feed,
  marketsFeed,
  ratesFeed,
  statsFeed,
  tapeFeed,
} from "./feeds.ts";
import { answerRest, OWNER } from "./rest.ts";
import type { ListName, Style } from "./styles/style.ts";

const ADDRESS = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";

/** What services do beside their style. Times in ms of the service's clock. */
export interface Switches {
  readonly bboEveryMs?: number;
  /** The bbo says nothing any more from this time on, while the book goes on. */
  readonly bboSilentFromMs?: number;
  readonly bboBehindMs?: number;
  readonly bookEveryMs?: number;
  /** After another subscribe a change of the subscription before may arrive ahead of the first frame. */
  readonly isLateFromBefore?: boolean;
  readonly lists?: Partial<Record<ListName, "changes" | "whole">>;
  /** Marks and profits of all positions change with each account frame. */
  readonly isMarkedAlways?: boolean;
  /** Every row of stats and orders comes with only what changed. */
  readonly isPartial?: boolean;
  /** More commands within a second than this are answered by close code 1008. */
  readonly commandsPerSecond?: number;
  readonly hello?: "at once" | "late" | "never";
  readonly restartEveryMs?: number;
  /** Every so many-th REST request is answered by 429. */
  readonly tooManyEvery?: number;
  readonly mode?: Mode;
}

const LATE_HELLO_MS = 1500;
const CLOSE_RESTART = 1012;
const CLOSE_POLICY = 1008;
const NAME =
  /^(?:(bbo|orderbook|trades|candles|mark-candles|market-stats|funding-rates|accounts|account)\/.+|markets)$/;

interface Client {
  readonly socket: WebSocket;
  readonly channels: Set<string>;
  /** Channels that it had before. */
  readonly before: Set<string>;
  /** Channels whose first frame comes late. */
  readonly waiting: Set<string>;
  readonly commandsAtMs: number[];
}

interface Channel {
  readonly feed: Feed;
  readonly everyMs: number;
  /** Of the last frame. Undefined: nothing has happened on it. */
  sequence: bigint | undefined;
  flushedAtMs: number;
  /** From when until when nobody had it. */
  readonly unheard: (readonly [fromMs: number, untilMs: number])[];
}

export class VenueService {
  readonly exchange: Exchange;
  readonly style: Style;
  readonly switches: Switches;
  readonly startMs: number;
  /** When each subscription of a channel began. */
  readonly subscribedAtMs = new Map<string, number[]>();
  readonly #clients = new Set<Client>();
  readonly #channels = new Map<string, Channel>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #requests = 0;
  #isRefusing = false;
  #frames = 100n;
  readonly account = { address: ADDRESS, owner: OWNER, subaccount_id: 0 };
  readonly accountChannel = `account/${ADDRESS}/0`;
  baseUrl = "";
  wsUrl = "";

  constructor(style: Style, switches: Switches = {}, seed = 1, startMs = 1_800_000_050_000) {
    this.switches = switches;
    this.startMs = startMs;
    this.style = {
      ...style,
      lists: { ...style.lists, ...switches.lists },
      partial: switches.isPartial ? partialOf(style) : style.partial,
    };
    this.exchange = new Exchange(seed, startMs, switches.mode ?? style.mode);
    this.#server.on("upgrade", (request, socket, head) => {
      if (this.#isRefusing || new URL(request.url ?? "", "http://host").pathname !== "/v1/ws")
        socket.destroy();
      else this.#sockets.handleUpgrade(request, socket, head, (peer) => this.#open(peer));
    });
  }

  async listen(): Promise<this> {
    const port = await listen(this.#server);
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.wsUrl = `ws://127.0.0.1:${port}/v1/ws`;
    return this;
  }

  async close(): Promise<void> {
    for (const { socket } of this.#clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Lets time pass, in whole steps. The exchange moves unless it rests, frames go out when they are due. */
  advance(ms: number, isResting = false): void {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      if (isResting) this.exchange.nowMs += STEP_MS;
      else this.exchange.step();
      this.#tick();
    }
  }

  /** Every client loses its connection. */
  cut(): void {
    for (const { socket } of this.#clients) socket.terminate();
  }

  /** Nobody gets in until told otherwise. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
  }

  marketOf(type: string, id: string): Market | undefined {
    return this.exchange.markets.find(
      (market) => market.isListed && market.type === type && String(this.style.id(market)) === id,
    );
  }

  /** When nobody had a channel. */
  unheard(name: string) {
    return this.#channels.get(name)?.unheard ?? [];
  }

  /** When the subscription began that brought the first trade: a tape that holds nothing has nothing to be behind of. */
  heardSince(name: string, { trades }: Market): number {
    const began = this.subscribedAtMs.get(name) ?? [];
    const times = trades.map(({ timeNs }) => Number(timeNs / 1_000_000n));
    const first = times.find(
      (at) =>
        at > (began[0] ?? 0) &&
        !this.unheard(name).some(([from, until]) => at > from && at <= until),
    );
    return began.findLast((at) => at < (first ?? Number.POSITIVE_INFINITY)) ?? this.startMs;
  }

  #tick(): void {
    const { restartEveryMs, hello, isMarkedAlways } = this.switches;
    const at = this.exchange.nowMs - this.startMs;
    if (isMarkedAlways) this.exchange.markPositions();
    for (const [name, channel] of this.#channels) {
      if (at % channel.everyMs === 0) this.#flush(name, channel);
    }
    const isRestart = restartEveryMs !== undefined && at % restartEveryMs === 0;
    for (const client of this.#clients) {
      if (hello === "late" && at % LATE_HELLO_MS === 0) greet(client);
      if (isRestart) client.socket.close(CLOSE_RESTART, "restart");
    }
  }

  #open(socket: WebSocket): void {
    const client: Client = {
      socket,
      channels: new Set(),
      before: new Set(),
      waiting: new Set(),
      commandsAtMs: [],
    };
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    socket.on("error", () => socket.terminate());
    socket.on("message", (data) => this.#command(client, data.toString()));
    if ((this.switches.hello ?? "at once") === "at once") greet(client);
  }

  #command(client: Client, text: string): void {
    const { commandsPerSecond } = this.switches;
    const { nowMs } = this.exchange;
    client.commandsAtMs.push(nowMs);
    const recent = client.commandsAtMs.filter((at) => at > nowMs - 1000);
    if (commandsPerSecond !== undefined && recent.length > commandsPerSecond) {
      client.socket.close(CLOSE_POLICY, "too many commands");
      return;
    }
    const { type, channel: name } = JSON.parse(text) as { type: string; channel: string };
    if (!NAME.test(name)) this.#refuse(client, name, 400, "no such channel");
    else if (type === "subscribe") this.#subscribe(client, name);
    else if (type !== "unsubscribe") this.#refuse(client, name, 400, "no such command");
    else if (client.channels.delete(name)) {
      client.before.add(name);
      this.#send(client, { type: "unsubscribed", channel: name, timestamp_ns: this.#now() });
    } else this.#refuse(client, name, 404, "not subscribed");
  }

  #subscribe(client: Client, name: string): void {
    // A market that is gone has no channels, whoever had them.
    const created = this.#create(name);
    const channel = created && (this.#channels.get(name) ?? created);
    if (client.channels.has(name)) this.#refuse(client, name, 409, "already subscribed");
    else if (channel === undefined) this.#refuse(client, name, 404, "unknown resource");
    else this.#begin(client, name, channel);
  }

  #begin(client: Client, name: string, channel: Channel): void {
    this.#channels.set(name, channel);
    if (this.switches.isLateFromBefore && client.before.has(name)) {
      client.channels.add(name);
      client.waiting.add(name);
      return;
    }
    this.#flush(name, channel);
    client.channels.add(name);
    this.#sendFirst(client, name, channel);
  }

  #sendFirst(client: Client, name: string, channel: Channel): void {
    this.subscribedAtMs.set(name, [...(this.subscribedAtMs.get(name) ?? []), this.exchange.nowMs]);
    const { body, isEmpty } = channel.feed.first();
    if (!isEmpty) channel.sequence ??= this.#number();
    const sequence = isEmpty ? undefined : channel.sequence;
    const previous = this.style.first.hasPrevious && sequence ? sequence - 1n : undefined;
    this.#send(client, this.#frame(name, channel, body, previous, sequence));
  }

  /** Sends what changed to everybody who has the channel, and then first frames that are still due. */
  #flush(name: string, channel: Channel): void {
    const clients = [...this.#clients].filter(({ channels }) => channels.has(name));
    if (clients.length === 0) channel.unheard.push([channel.flushedAtMs, this.exchange.nowMs]);
    channel.flushedAtMs = this.exchange.nowMs;
    const body = channel.feed.next();
    if (body !== undefined) {
      const before = channel.sequence;
      channel.sequence = channel.feed.isNumbered ? this.#number() : undefined;
      const previous = this.style.chain === "service" ? this.#frames - 1n : before;
      const frame = this.#frame(name, channel, body, previous, channel.sequence);
      for (const client of clients) this.#send(client, frame);
    }
    for (const client of clients) {
      if (client.waiting.delete(name)) this.#sendFirst(client, name, channel);
    }
  }

  #frame(
    name: string,
    { feed }: Channel,
    body: Body,
    previous?: bigint,
    sequence?: bigint,
  ): object {
    const { chain } = this.style;
    const isNamed = chain === "channel" || chain === "service";
    const numbers = {
      previous_sequence: isNamed && previous !== undefined ? `${previous}` : null,
      sequence: chain !== "none" && sequence !== undefined ? `${sequence}` : null,
    };
    return {
      type: "update",
      channel: name,
      timestamp_ns: this.#now(),
      ...(feed.isNumbered && numbers),
      ...body,
    };
  }

  #number(): bigint {
    if (this.style.chain === "service") return ++this.#frames;
    return this.style.numbers === "times"
      ? BigInt(this.#now()) + 1n
      : BigInt(this.exchange.sequence);
  }

  #now(): string {
    return `${BigInt(this.exchange.nowMs) * 1_000_000n}`;
  }

  #create(name: string): Channel | undefined {
    const [kind = "", ...rest] = name.split("/");
    const made = KINDS[kind]?.(this, rest);
    const flushedAtMs = this.exchange.nowMs;
    return made && { ...made, sequence: undefined, flushedAtMs, unheard: [] };
  }

  #refuse(client: Client, channel: string, code: number, message: string): void {
    this.#send(client, { type: "error", channel, code, message, timestamp_ns: this.#now() });
  }

  #send({ socket }: Client, frame: object): void {
    socket.send(JSON.stringify(frame));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { tooManyEvery } = this.switches;
    this.#requests++;
    response.setHeader("content-type", "application/json");
    if (tooManyEvery !== undefined && this.#requests % tooManyEvery === 0) {
      response.writeHead(429, { "retry-after": "1" }).end('{"error":"too many requests"}');
      return;
    }
    const rows = answerRest(this, new URL(request.url ?? "", "http://host"));
    response.writeHead(rows ? 200 : 404).end(JSON.stringify(rows ?? { error: "unknown resource" }));
  }
}

type Made = Pick<Channel, "feed" | "everyMs">;
type Create = (service: VenueService, parts: readonly string[]) => Made | undefined;

/** A channel of one market that is listed. */
const ofMarket =
  (create: (service: VenueService, market: Market) => Made): Create =>
  (service, [type = "", id = ""]) => {
    const market = service.marketOf(type, id);
    return market && create(service, market);
  };

const ofCandles =
  (list: "candles" | "markCandles"): Create =>
  (service, [type = "", id = "", interval = ""]) => {
    const market = service.marketOf(type, id);
    if (!market || !(interval in INTERVALS_MS)) return undefined;
    return { feed: candleFeed(market, list, interval as Interval), everyMs: 500 };
  };

const KINDS: Readonly<Record<string, Create>> = {
  bbo: ofMarket((service, market) => ({
    feed: bboFeed(service, market),
    everyMs: service.switches.bboEveryMs ?? service.style.everyMs.bbo,
  })),
  orderbook: ofMarket((service, market) => ({
    feed: bookFeed(service, market),
    everyMs: service.switches.bookEveryMs ?? service.style.everyMs.book,
  })),
  trades: ofMarket((service, market) => ({
    feed: tapeFeed(service, market),
    everyMs: service.style.everyMs.trades,
  })),
  candles: ofCandles("candles"),
  "mark-candles": (service, parts) => ofCandles("markCandles")(service, ["perp", ...parts]),
  markets: (service) => ({ feed: marketsFeed(service), everyMs: 1000 }),
  "market-stats": (service, [type = "", id]) => {
    if (id !== undefined && !service.marketOf(type, id)) return undefined;
    return { feed: statsFeed(service, type, id), everyMs: service.style.everyMs.stats };
  },
  "funding-rates": (service, [id = ""]) => {
    const market = service.marketOf("perp", id);
    return market && { feed: ratesFeed(service, market), everyMs: 1000 };
  },
  accounts: (service, [address]) =>
    address === ADDRESS ? { feed: catalogueFeed(service), everyMs: 1000 } : undefined,
  account: (service, [address, id]) =>
    address === ADDRESS && id === "0"
      ? { feed: accountFeed(service), everyMs: service.style.everyMs.account }
      : undefined,
};

function greet({ socket }: Client): void {
  socket.send(
    JSON.stringify({ type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 }),
  );
}

/** In each row none the less: what tells it. */
const partialOf = ({ partial, tells }: Style): Style["partial"] => ({
  orders: [...tells.orders, "order_id", "orderId", "clientOrderId"],
  stats: ["symbol", "market_id", "coin", "product_id", "marketIndex", "marketType"],
  ...partial,
});

/** Starts a service that listens. */
export const startVenue = (
  ...args: ConstructorParameters<typeof VenueService>
): Promise<VenueService> => new VenueService(...args).listen();
