// Checks of this machine: the network path to the service, the terminal.
import { lookup } from "node:dns/promises";
import type { TLSSocket } from "node:tls";
import { type Environment, type HttpProxy, openTls, proxyFor } from "../system/proxy.ts";
import { lacksUtf8, terminalTraits } from "../terminal/osc.ts";
import { colorDepth } from "../terminal/style.ts";
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { type Check, check, ms } from "./check.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

interface Machine {
  readonly clock: Clock;
  readonly env: Environment;
  readonly interrupt: AbortSignal;
}

/** The proxy, the name and the certificate of an address. @param option `ws` or `rest` */
export async function checkNetwork(
  option: string,
  address: URL,
  { clock, env, interrupt }: Machine,
): Promise<readonly Check[]> {
  const id = (what: string) => `network.${option}.${what}`;
  const proxy = proxyFor(address, env);
  const host = (proxy?.url ?? address).hostname.replace(/^\[|\]$/g, "");
  const way = checkProxy(id("proxy"), proxy, env);
  const startedAtMs = clock.now();
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return [...way, check(id("name"), "fail", `${host}: ${found.code ?? found.message}`)];
  const addresses = found.map((each) => each.address);
  const took = ms(clock.now() - startedAtMs);
  return [
    ...way,
    check(id("name"), "ok", `${host} is ${addresses.join(", ")}, found in ${took}`),
    address.protocol === "wss:" || address.protocol === "https:"
      ? await checkTls(id("tls"), openTls(address, proxy, interrupt), clock)
      : checkPlain(id("tls"), proxy === undefined && addresses.every(isLocal)),
  ];
}

const isLocal = (address: string) => address === "::1" || address.startsWith("127.");

function checkProxy(id: string, proxy: HttpProxy | undefined, env: Environment): readonly Check[] {
  if (proxy !== undefined)
    return [check(id, "ok", `by way of ${proxy.url.host}, as ${proxy.variable} says`)];
  const named = Object.keys(env).filter((name) => env[name] && /^https?_proxy$/i.test(name));
  if (named.length === 0) return [];
  return [check(id, "ok", `none for this address, though there is ${named.join(" and ")}`)];
}

function checkPlain(id: string, isOnThisMachine: boolean): Check {
  return isOnThisMachine
    ? check(id, "ok", "not encrypted, and does not leave this machine")
    : check(id, "warn", "not encrypted: anybody on the way can read and change it");
}

async function checkTls(id: string, opened: Promise<TLSSocket>, clock: Clock): Promise<Check> {
  try {
    const socket = await opened;
    const { valid_to, issuer } = socket.getPeerCertificate();
    const days = Math.floor((Date.parse(valid_to) - clock.wall()) / DAY_MS);
    const by = issuer?.O ?? issuer?.CN ?? "an unnamed authority";
    const fact = `${socket.getProtocol() ?? "TLS"}, certificate by ${by}, ${days} days left`;
    socket.destroy();
    return check(id, days < SOON_DAYS ? "warn" : "ok", fact);
  } catch (error) {
    return check(id, "fail", errorText(error));
  }
}

interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isColorOff: boolean;
  readonly stdout: {
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
    readonly rows?: number | undefined;
  };
}

/** On a smaller one some panes have no room. */
const SMALL = { columns: 80, rows: 24 };

export function checkTerminal({ env, isColorOff, stdout }: Terminal): readonly Check[] {
  if (!stdout.isTTY) return [check("terminal", "unknown", "standard output is no terminal")];
  const { columns = 0, rows = 0 } = stdout;
  const tmux = terminalTraits(env).isTmux ? "; tmux needs `set -g set-clipboard on`" : "";
  const isSmall = columns < SMALL.columns || rows < SMALL.rows;
  return [
    isSmall
      ? check("terminal.size", "warn", `${columns}x${rows}: some panes have no room`)
      : check("terminal.size", "ok", `${columns}x${rows}`),
    checkColors(env, isColorOff),
    lacksUtf8(env)
      ? check("terminal.text", "warn", "the locale is not UTF-8: ASCII is drawn")
      : check("terminal.text", "ok", "UTF-8"),
    check("terminal.clipboard", "unknown", `sent by OSC 52, which no terminal confirms${tmux}`),
  ];
}

function checkColors(env: Terminal["env"], isColorOff: boolean): Check {
  const depth = colorDepth(env, isColorOff);
  const { TERM, COLORTERM } = env;
  const fact = `${depth} (TERM ${TERM || "not set"}, COLORTERM ${COLORTERM || "not set"})`;
  const isChosen = isColorOff || env.NO_COLOR || env.FORCE_COLOR;
  const isPoor = !isChosen && (depth === "none" || depth === "16");
  const advice = isPoor ? ": COLORTERM=truecolor says that the terminal has more" : "";
  return check("terminal.colors", isPoor ? "warn" : "ok", fact + advice);
}
