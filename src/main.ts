// A command line for the stream side alone, while it stands beside the old one: `<market>`, `account ADDRESS [ID]`, `markets`,
// `tail CHANNEL…`, with `--ws-url`, `--header`, `--once`, `--for`, `--json`, `--events`.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { accountJson, accountsJson, marketJson, marketsJson, type Shown } from "./live/json.ts";
import { openSession, type Session, type SessionOptions } from "./live/session.ts";
import { openDashboard } from "./screen/dashboard.tsx";
import type { View } from "./screen/pane.ts";
import { createWsSocket } from "./stream/ws-socket.ts";
import { systemClock } from "./system/system-clock.ts";
import { lacksUtf8, terminalTraits } from "./terminal/osc.ts";
import { openConsole, openTerminalFile } from "./terminal/output.ts";
import { colorDepth } from "./terminal/style.ts";
import { startWatcher } from "./terminal/watcher.ts";
import { formatIsoMs, parseDuration } from "./units/time.ts";
import { ACCOUNT } from "./views/account.ts";
import { MARKET } from "./views/market/market.ts";
import { MARKETS } from "./views/markets.ts";
import { VIEWS } from "./views/views.ts";
import { kindOf } from "./wire/channels.ts";
import { formatJson } from "./wire/json.ts";
import { createRedact } from "./wire/redact.ts";

interface Command {
  readonly channels: readonly string[];
  /** Undefined: updates are printed as they come. */
  print?(shown: Shown): unknown;
}

const { words, values } = parseArguments(process.argv.slice(2));
const value = (name: string) => values.get(name)?.at(-1);

function parseArguments(args: readonly string[]) {
  const words: string[] = [];
  const values = new Map<string, string[]>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (!arg.startsWith("--")) words.push(arg);
    else {
      const [name = "", inline] = arg.slice(2).split(/=(.*)/s);
      const isFlag = ["json", "once", "events"].includes(name);
      const given = isFlag ? "" : (inline ?? args[++i] ?? "");
      values.set(name, [...(values.get(name) ?? []), given]);
    }
  }
  return { words, values };
}

function commandOf([name = "", ...rest]: readonly string[]): Command {
  const interval = value("interval") ?? "1m";
  if (name === "tail") return { channels: rest.filter((channel) => kindOf(channel) !== undefined) };
  if (name === "markets")
    return {
      channels: ["markets", "market-stats/perp", "market-stats/spot"],
      print: (shown) => marketsJson(shown),
    };
  if (name === "account") {
    const [address = "", id] = rest;
    const channels = [`accounts/${address}`, "markets"];
    return id === undefined
      ? { channels, print: (shown) => accountsJson(shown, address) }
      : {
          channels: [...channels, `account/${address}/${id}`],
          print: (shown) => accountJson(shown, `${address}/${id}`),
        };
  }
  const market = name.includes("/") ? name : `perp/${name}`;
  const id = market.slice(market.indexOf("/") + 1);
  const isPerp = market.startsWith("perp/");
  const account = value("account");
  return {
    channels: [
      ...["bbo", "orderbook", "trades", "market-stats"].map((kind) => `${kind}/${market}`),
      `candles/${market}/${interval}`,
      "markets",
      ...(isPerp ? [`funding-rates/${id}`, `mark-candles/${id}/${interval}`] : []),
      ...(account === undefined ? [] : [`account/${account}`]),
    ],
    print: (shown) => marketJson(shown, { market, interval, account }, null),
  };
}

function accountShown(): string | undefined {
  const [name, address, id = "0"] = words;
  return value("account") ?? (name === "account" ? `${address}/${id}` : undefined);
}

function marketShown(name: string): string {
  if (name.includes("/")) return name;
  return /^[0-9]+$/.test(name) ? `perp/${name}` : "perp/1";
}

const START_VIEWS: Readonly<Record<string, View>> = { account: ACCOUNT, markets: MARKETS };

/** Without --json or --once, a market or an account on a terminal is the dashboard. */
function show(command: Command, given: URL, headers: Readonly<Record<string, string>>): void {
  const [name = ""] = words;
  const account = accountShown();
  const market = marketShown(name);
  const { env: environment, stdin, stdout } = process;
  const depth = colorDepth(environment, false);
  const traits = terminalTraits(environment);
  openDashboard({
    ...{ clock: systemClock, process, stdin, stdout, depth, traits, views: VIEWS },
    ...{
      hasMouse: true,
      isAscii: lacksUtf8(environment),
      framesPerSecond: 60,
      address: given.href,
    },
    file: process.platform === "win32" ? openConsole(stdout) : openTerminalFile(1),
    watcher: startWatcher(spawn, environment.PATH, traits),
    theme: { name: "auto", colours: "usual", rising: "green" },
    rules: values.get("alert") ?? [],
    start: {
      view: START_VIEWS[name] ?? MARKET,
      ...{ market, account, stars: new Set(), choices: {} },
      addresses: account === undefined ? [] : [account.split("/")[0] ?? ""],
      display: { numbers: "grouped", timeZone: undefined },
    },
    openSession: (channels, onUpdate, onEvent) =>
      open(given, headers, [...command.channels, ...channels], onUpdate, onEvent),
    save: () => {},
    onEnd: (end) => {
      if (end.kind === "failed") process.stderr.write(`${(end.error as Error).stack}\n`);
      process.exitCode = end.kind === "failed" ? 1 : 0;
    },
  });
}

function open(
  given: URL,
  headers: Readonly<Record<string, string>>,
  channels: readonly string[],
  onUpdate: NonNullable<SessionOptions["onUpdate"]>,
  onEvent: NonNullable<SessionOptions["onEvent"]>,
): Session {
  const { env: environment } = process;
  const state = environment.XDG_STATE_HOME ?? join(homedir(), ".local", "state");
  return openSession({
    ...{ url: given.href, clock: systemClock, random: Math.random, channels, onUpdate, onEvent },
    openSocket: createWsSocket({ url: given.href, headers, clock: systemClock, environment }),
    learnedPath: join(state, "monitor", "dialect.json"),
    redact: createRedact(headers, channels),
  });
}

function run(command: Command): void {
  const given = new URL(value("ws-url") ?? process.env.MONITOR_WS_URL ?? "ws://127.0.0.1/");
  if (given.pathname === "/") given.pathname = "/v1/ws";
  const headers = Object.fromEntries(
    (values.get("header") ?? []).map((text) => text.split(/:\s*(.*)/s).slice(0, 2)),
  );
  const write = (text: string) => process.stdout.write(`${text}\n`);
  const isScreen = command.print !== undefined && !values.has("json") && !values.has("once");
  if (isScreen && process.stdout.isTTY && process.stdin.isTTY) {
    show(command, given, headers);
    return;
  }
  const session = open(
    given,
    headers,
    command.channels,
    ({ text }) => {
      if (command.print === undefined) write(text);
    },
    ({ event, channel, detail }) => {
      if (values.has("events"))
        write(formatJson({ event, channel, at: formatIsoMs(systemClock.wall()), detail }));
    },
  );
  endWhenDue(session, () => {
    const shown = { store: session.store, nowMs: systemClock.now() };
    if (command.print !== undefined) write(formatJson(command.print(shown)));
    session.close();
  });
}

function endWhenDue({ store }: Session, end: () => void): void {
  let isOver = false;
  const endOnce = () => {
    if (!isOver) end();
    isOver = true;
  };
  process.once("SIGINT", endOnce);
  process.once("SIGTERM", endOnce);
  const lasts = value("for") ?? value("timeout") ?? (values.has("once") ? "10s" : undefined);
  if (lasts !== undefined) systemClock.after(parseDuration(lasts) ?? 0, endOnce);
  if (!values.has("once")) return;
  const look = () => {
    const statuses = [...store.channels.values()];
    if (statuses.every(({ lastAtMs, phase }) => lastAtMs !== undefined || phase === "refused"))
      endOnce();
    else if (!isOver) systemClock.after(50, look);
  };
  look();
}

run(commandOf(words));
