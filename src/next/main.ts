// A command line for the stream side alone, while it stands beside the old one: `<market>`, `account ADDRESS [ID]`, `markets`,
// `tail CHANNEL…`, with `--ws-url`, `--header`, `--once`, `--for`, `--json`, `--events`.
import { homedir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../system/system-clock.ts";
import { formatIsoMs, parseDuration } from "../units/time.ts";
import { accountJson, accountsJson, marketJson, marketsJson, type Shown } from "./live/json.ts";
import { openSession, type Session } from "./live/session.ts";
import { createWsSocket } from "./stream/ws-socket.ts";
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

function run(command: Command): void {
  const given = new URL(value("ws-url") ?? process.env.MONITOR_WS_URL ?? "ws://127.0.0.1/");
  if (given.pathname === "/") given.pathname = "/v1/ws";
  const headers = Object.fromEntries(
    (values.get("header") ?? []).map((text) => text.split(/:\s*(.*)/s).slice(0, 2)),
  );
  const write = (text: string) => process.stdout.write(`${text}\n`);
  const state = process.env.XDG_STATE_HOME ?? join(homedir(), ".local", "state");
  const session = openSession({
    url: given.href,
    openSocket: createWsSocket({
      url: given.href,
      headers,
      clock: systemClock,
      environment: process.env,
    }),
    clock: systemClock,
    random: Math.random,
    channels: command.channels,
    learnedPath: join(state, "monitor", "dialect.json"),
    redact: createRedact(headers, command.channels),
    onUpdate: ({ text }) => {
      if (command.print === undefined) write(text);
    },
    onEvent: ({ event, channel, detail }) => {
      if (values.has("events"))
        write(formatJson({ event, channel, at: formatIsoMs(systemClock.wall()), detail }));
    },
  });
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
