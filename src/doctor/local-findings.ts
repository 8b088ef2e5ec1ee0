// What can be said of this machine, its terminal and its settings, and of the way to the service.
import { lookup } from "node:dns/promises";
import { connect } from "node:tls";
import type { Context } from "../args/context.ts";
import type { Config } from "../config/config-file.ts";
import { holdsHeaders } from "../config/config-location.ts";
import { type ColorDepth, colorDepth } from "../terminal/cells/color.ts";
import { getLocale, lacksUtf8, terminalTraits } from "../terminal/session/terminal-traits.ts";
import { DAY_MS } from "../units/time.ts";
import { type Finding, findingsIn, ms } from "./finding.ts";

const config = findingsIn("config");
const network = findingsIn("network");
const terminal = findingsIn("terminal");

const TLS_TIMEOUT_MS = 10_000;
/** A smaller terminal shows one pane. */
const SMALL = { columns: 80, rows: 24 };
const SOON_DAYS = 14;

/** The config file, which has been read already. `mode` undefined: there is none. */
export function configFinding({
  config: settings,
  path,
  mode,
}: {
  readonly config: Config;
  readonly path: string;
  readonly mode: { readonly digits: string; readonly isOpen: boolean } | undefined;
}): Finding {
  if (mode === undefined) return config("file", "ok", `none at ${path}, and none is needed`);
  return mode.isOpen && holdsHeaders(settings)
    ? config("file", "warn", `${path} holds headers and has mode ${mode.digits}: chmod 600 it`)
    : config("file", "ok", `${path}, mode ${mode.digits}`);
}

/** Name and certificate of one address. */
export async function networkFindings(
  context: Context,
  option: string,
  url: string,
): Promise<readonly Finding[]> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isSecure = protocol === "wss:" || protocol === "https:";
  const startedAt = context.clock.now();
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    return [network(`${option}.name`, "fail", `${host}: ${found.code ?? found.message}`)];
  }
  const took = ms(context.clock.now() - startedAt);
  const name = network(
    `${option}.name`,
    "ok",
    `${host} is ${found.map(({ address }) => address).join(", ")}, found in ${took}`,
  );
  if (isSecure) return [name, await tlsFinding(context, option, host, Number(port || 443))];
  const isLocal = found.every(({ address }) => address === "::1" || address.startsWith("127."));
  const fact = isLocal
    ? "not encrypted, and does not leave this machine"
    : "not encrypted: anybody on the way can read and change it";
  return [name, network(`${option}.tls`, isLocal ? "ok" : "warn", fact)];
}

function tlsFinding(
  { clock }: Context,
  option: string,
  host: string,
  port: number,
): Promise<Finding> {
  const at = `${option}.tls`;
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, rejectUnauthorized: true });
    const end = (finding: Finding) => {
      cancel();
      socket.destroy();
      resolve(finding);
    };
    const cancel = clock.after(TLS_TIMEOUT_MS, () =>
      end(network(at, "fail", "no handshake in time")),
    );
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(network(at, "fail", error.code ?? error.message)),
    );
    socket.once("secureConnect", () => {
      const { valid_to, issuer } = socket.getPeerCertificate();
      const days = Math.floor((Date.parse(valid_to) - clock.wall()) / DAY_MS);
      const fact = `${socket.getProtocol() ?? "TLS"}, certificate by ${issuer?.O ?? issuer?.CN ?? "?"}, ${days} days left`;
      end(network(at, days < SOON_DAYS ? "warn" : "ok", fact));
    });
  });
}

export function terminalFindings(context: Context): readonly Finding[] {
  const { stdout, env } = context;
  if (!stdout.isTTY) return [terminal("screen", "unknown", "standard output is no terminal")];
  const { columns = 0, rows = 0 } = stdout;
  const isSmall = columns < SMALL.columns || rows < SMALL.rows;
  const { clipboardAdvice } = terminalTraits(env);
  return [
    terminal(
      "size",
      isSmall ? "warn" : "ok",
      `${columns}x${rows}${isSmall ? ": some panes will not fit" : ""}`,
    ),
    colorFinding(context),
    textFinding(env),
    terminal(
      "clipboard",
      clipboardAdvice === "" ? "unknown" : "warn",
      ["sent by OSC 52, which no terminal confirms", clipboardAdvice].filter(Boolean).join(": "),
    ),
    terminal(
      "sync",
      "unknown",
      "synchronised output is asked for in each frame; terminals that lack it pass over it",
    ),
  ];
}

function colorFinding({ env, options }: Context): Finding {
  const depth = colorDepth(env, options.noColor ?? false);
  const fact = `${depth} (TERM ${env.TERM ?? "not set"}, COLORTERM ${env.COLORTERM ?? "not set"})`;
  const isChosen = options.noColor || env.NO_COLOR || env.FORCE_COLOR;
  const advice = isChosen || depth === "none" ? "" : colorAdvice(depth, env);
  return terminal("colors", depth === "none" || depth === "ansi16" ? "warn" : "ok", fact + advice);
}

/** How a terminal that has more colours says so. */
function colorAdvice(depth: ColorDepth, { TERM = "", TMUX }: Context["env"]): string {
  if (depth === "truecolor") return "";
  const name = TMUX ? "tmux" : TERM.startsWith("screen") ? "screen" : "xterm";
  const more = depth === "ansi16" ? `TERM=${name}-256color or ` : "";
  const tmux = TMUX ? ", and `set -as terminal-features ',*:RGB'` in tmux" : "";
  return `: a terminal that has more says so by ${more}COLORTERM=truecolor${tmux}`;
}

function textFinding(env: Context["env"]): Finding {
  const locale = getLocale(env);
  if (locale === "") {
    return terminal("text", "unknown", "the locale is not set: UTF-8 is written all the same");
  }
  const words = `the locale ${locale} is not UTF-8: ASCII is drawn; LC_ALL=C.UTF-8 brings the rest`;
  return lacksUtf8(env)
    ? terminal("text", "warn", words)
    : terminal("text", "ok", `UTF-8 (${locale})`);
}
