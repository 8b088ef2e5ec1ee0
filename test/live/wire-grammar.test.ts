// Whatever stands on the command line, only what the document lists goes over the wire, and to the service alone: GET of
// three paths, and two commands on the stream. The long form tries 100,000 command lines.
import { channel } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/system/system-clock.ts";
import {
  type ListeningService,
  type Received,
  startListeningService,
} from "../support/listening-service.ts";
import { runInside } from "../support/monitor-inside.ts";
import { report, runs, SEED } from "../support/soak.ts";
import { words } from "../support/words.ts";

const RUNS = runs(200, 100_000);
/** Command lines at once. */
const LANES = 16;
/** What reaches the service after so many turns of the event loop is one more of the same: the run is ended. */
const TURNS = 20;

/** Far longer than a run takes on any machine. */
const HANGS_AFTER_MS = 120_000;

let service: ListeningService;
const interrupts = new Map<number, AbortController>();

const SERVICE_HOST = "127.0.0.1";
/** Hosts that a connection was tried to, each once. */
const tried = new Set<string>();
const noteTries = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  socket.on("connectionAttempt", (ip: string) => tried.add(ip));
};

beforeAll(async () => {
  service = await startListeningService((run) => endSoon(run, TURNS));
  channel("net.client.socket").subscribe(noteTries);
});
afterAll(() => {
  channel("net.client.socket").unsubscribe(noteTries);
  service.close();
});

/** Runs a command line until the service has received enough of it. @throws when it neither sends anything nor ends */
async function runUntilHeard(run: number, line: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  interrupts.set(run, interrupt);
  let cancel = () => {};
  const never = new Promise<never>((_, reject) => {
    cancel = systemClock.after(HANGS_AFTER_MS, () =>
      reject(new Error(`neither sends anything nor ends: ${JSON.stringify(line)}`)),
    );
  });
  await Promise.race([runInside([...line, ...service.addresses(run)], interrupt.signal), never]);
  cancel();
  interrupts.delete(run);
}

function endSoon(run: number, turns: number): void {
  if (turns === 0) interrupts.get(run)?.abort("SIGTERM");
  else setImmediate(() => endSoon(run, turns - 1));
}

// The document once more, as patterns (sections 2.2, 4.1 to 4.4).
const TYPE = "(?:spot|perp)";
const INTERVAL = "(?:1m|5m|15m|1h|4h|1d)";
const BASE58 = "[1-9A-HJ-NP-Za-km-z]{32,44}";
const CHANNEL = [
  `(?:bbo|orderbook|trades)/${TYPE}/[0-9]+`,
  `candles/${TYPE}/[0-9]+/${INTERVAL}`,
  `mark-candles/[0-9]+/${INTERVAL}`,
  "markets",
  `market-stats/${TYPE}(?:/[0-9]+)?`,
  "funding-rates/[0-9]+",
  `accounts/${BASE58}`,
  `account/${BASE58}/[0-9]+`,
].join("|");
const COMMAND = new RegExp(`^\\{"type":"(?:un)?subscribe","channel":"(?:${CHANNEL})"\\}$`);
const PAGE = "(?:[?&](?:limit=[1-9][0-9]{0,3}|before=[0-9]{1,19}))*";
const REQUESTS = [
  /^\/v1\/ws$/,
  new RegExp(`^/markets/[0-9]{1,10}/trades\\?market_type=${TYPE}${PAGE}$`),
  new RegExp(`^/markets/[0-9]{1,10}/liquidations${PAGE}$`),
  new RegExp(`^/accounts/0x[0-9a-fA-F]{40}/subaccounts/[0-9]{1,5}/trades${PAGE}$`),
];
const HEADERS = new Set(
  ["host", "connection", "upgrade", "accept", "accept-encoding", "user-agent"].concat(
    ["version", "key", "extensions"].map((name) => `sec-websocket-${name}`),
  ),
);

/** What of it the document does not list. */
function strangeIn({ method, url, headers, messages = [] }: Received): string[] {
  return [
    ...(method === "GET" ? [] : [method]),
    ...(REQUESTS.some((request) => request.test(url)) ? [] : [url]),
    ...headers.filter((name) => !HEADERS.has(name.toLowerCase())),
    ...messages.filter((message) => !COMMAND.test(message)),
  ];
}

const ADDRESS = "4Nd1mYbG6pZsXq8RwTjK3vLcHfE2uA9oDeBtWxVyMnPk";
const OWNER = `0x${"aB".repeat(20)}`;
const SEEDS = words(`
  perp/1 spot/12 1 BTC-PERP 0 2147483647 2147483648 65536 7
  bbo/perp/1 orderbook/spot/2 trades/perp/9 candles/perp/1/1m mark-candles/1/1d
  markets market-stats/perp market-stats/spot/1 funding-rates/1
  accounts/${ADDRESS} account/${ADDRESS}/0 ${ADDRESS} ${ADDRESS}/3 ${OWNER}
  1m 4h 2025-11-21 1763700000000 100 1000
`);
/** What could end a word of JSON, of a path, of a request; and what is taken for another letter. */
const HOSTILE = [
  ...words('" ","type":"order \\ / /.. /../orders ? &limit=9 # %2f %0d%0a { } é ０ ١'),
  ...words("- + . e5 00 O l x @evil.example POST"),
  ...["\r\n", "\r\nX-Y: z\r\n\r\n", "\0", "\t", " ", "\u202e", "\ud800"],
];

type Change = (word: string) => string;

/** Puts something wrong into a word, often at its end, which a pattern may forget. */
const damage: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...HOSTILE), fc.nat(60), fc.nat(2), fc.boolean())
  .map(([wrong, place, cut, isAtEnd]) => (word) => {
    const at = isAtEnd ? word.length : place % (word.length + 1);
    return word.slice(0, at) + wrong + word.slice(at + cut);
  });
const seed = fc.constantFrom(...SEEDS);
const word = fc.tuple(seed, fc.option(damage)).map(([text, change]) => change?.(text) ?? text);
/** Another word, or the same with something wrong in it. */
const change: fc.Arbitrary<Change> = fc.oneof(
  damage,
  word.map((other) => () => other),
);

/** Commands that ask something of the service, with words that are likely or not. */
const COMMANDS = [
  ...["perp/1", `account ${ADDRESS} 0`, `account ${ADDRESS}`, "tail bbo/perp/1", "trades perp/1"],
  ...["liquidations 1", `fills ${OWNER} 0`, "tail", "account"],
].map(words);
const OPTIONS = ["--interval", "--account", "--max", "--since", "--until", "--for", "--timeout"];
const FLAGS = ["--once", "--json", "--plain"];

const commandLine = fc
  .record({
    command: fc.constantFrom(...COMMANDS, []),
    /** Which word of it is changed, if any, and how. */
    changed: fc.option(fc.tuple(fc.nat(2), change)),
    more: fc.option(word, { freq: 2 }),
    flags: fc.subarray(FLAGS),
    option: fc.option(fc.tuple(fc.constantFrom(...OPTIONS), word), { freq: 2 }),
  })
  .map(({ command, changed, more, flags, option }) => {
    const named = command.map((each, i) => (i === changed?.[0] ? changed[1](each) : each));
    return [...named, ...(more === null ? [] : [more]), ...flags, ...(option ?? [])];
  });

test(`${RUNS} command lines send nothing but what the document lists`, async () => {
  const damagedLines = fc.sample(commandLine, { numRuns: RUNS - COMMANDS.length, seed: SEED });
  const lines = [...COMMANDS, ...damagedLines];
  const strange: unknown[] = [];
  const all: Received[] = [];
  let next = 0;
  const lane = async () => {
    while (next < lines.length) {
      const run = next++;
      const line = lines[run] ?? [];
      await runUntilHeard(run, line);
      const received = service.received(run);
      const wrong = received.flatMap(strangeIn);
      if (wrong.length > 0) strange.push({ line, wrong });
      all.push(...received);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const messages = all.flatMap((each) => each.messages ?? []).length;
  report(
    `${RUNS} command lines (seed ${SEED}): ${all.length} requests, ${messages} messages, ${strange.length} strange`,
  );
  // A test that sends nothing would find nothing.
  expect(REQUESTS.filter((request) => !all.some(({ url }) => request.test(url)))).toEqual([]);
  expect(messages).toBeGreaterThan(RUNS / 10);
  expect([...tried]).toEqual([SERVICE_HOST]);
  expect({ seed: SEED, strange, broken: service.broken }).toEqual({
    seed: SEED,
    strange: [],
    broken: [],
  });
});
