// Checks of this machine: the network path to the service, the terminal.
import { lookup } from "node:dns/promises";
import { connect } from "node:tls";
import { lacksUtf8, terminalTraits } from "../terminal/osc.ts";
import { colorDepth } from "../terminal/style.ts";
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { type Check, check, ms } from "./check.ts";

const TLS_TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** The name and the certificate of an address. @param option `ws` or `rest` */
export async function checkNetwork(
  option: string,
  address: string,
  clock: Clock,
): Promise<readonly Check[]> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  const [name, tls] = [`network.${option}.name`, `network.${option}.tls`];
  const startedAtMs = clock.now();
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return [check(name, "fail", `${host}: ${found.code ?? found.message}`)];
  const addresses = found.map((each) => each.address);
  const took = ms(clock.now() - startedAtMs);
  const named = check(name, "ok", `${host} is ${addresses.join(", ")}, found in ${took}`);
  if (protocol === "wss:" || protocol === "https:")
    return [named, await checkTls(tls, host, Number(port || 443), clock)];
  const isLocal = addresses.every((each) => each === "::1" || each.startsWith("127."));
  return [
    named,
    isLocal
      ? check(tls, "ok", "not encrypted, and does not leave this machine")
      : check(tls, "warn", "not encrypted: anybody on the way can read and change it"),
  ];
}

function checkTls(id: string, host: string, port: number, clock: Clock): Promise<Check> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, rejectUnauthorized: true });
    const end = (verdict: Check["verdict"], fact: string) => {
      cancel();
      socket.destroy();
      resolve(check(id, verdict, fact));
    };
    const cancel = clock.after(TLS_TIMEOUT_MS, () => end("fail", "no handshake in time"));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(
        "fail",
        error instanceof AggregateError ? errorText(error) : (error.code ?? error.message),
      ),
    );
    socket.once("secureConnect", () => {
      const { valid_to, issuer } = socket.getPeerCertificate();
      const days = Math.floor((Date.parse(valid_to) - clock.wall()) / DAY_MS);
      const by = issuer?.O ?? issuer?.CN ?? "an unnamed authority";
      const fact = `${socket.getProtocol() ?? "TLS"}, certificate by ${by}, ${days} days left`;
      end(days < SOON_DAYS ? "warn" : "ok", fact);
    });
  });
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
  const isSmall = columns < SMALL.columns || rows < SMALL.rows;
  return [
    check(
      "terminal.size",
      isSmall ? "warn" : "ok",
      `${columns}x${rows}${isSmall ? ": some panes have no room" : ""}`,
    ),
    checkColors(env, isColorOff),
    lacksUtf8(env)
      ? check("terminal.text", "warn", "the locale is not UTF-8: ASCII is drawn")
      : check("terminal.text", "ok", "UTF-8"),
    check(
      "terminal.clipboard",
      "unknown",
      `sent by OSC 52, which no terminal confirms${terminalTraits(env).isTmux ? "; tmux needs `set -g set-clipboard on`" : ""}`,
    ),
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
