// docs/metrics.md, made from the table of metrics.
import { METRICS } from "../../src/metrics/families.ts";
import { PANE_STATES } from "../../src/state/pane-state.ts";

/** The same text for the same table. */
export function metricsText(): string {
  return `${[
    "# Metrics",
    "",
    "Made by `node scripts/docs.mjs` from the table of metrics. `monitor watch --metrics 9464` serves them at",
    "`http://127.0.0.1:9464/metrics`; `--metrics-file FILE` writes them to a file every five seconds. How they get into Prometheus and",
    "Grafana, and which alerts belong to them: [recipes](recipes/README.md).",
    "",
    "| metric | type | labels | what it is |",
    "|---|---|---|---|",
    ...METRICS.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    ),
    "",
    ...NOTES,
  ].join("\n")}\n`;
}

const STATES = PANE_STATES.filter((state) => state !== "listed").map((state) => `\`${state}\``);

const NOTES: readonly string[] = [
  "## What a value means",
  "",
  "- **A value is current, or it is absent.** Prices, equity and distances are there only while their channel is `live` or `quiet`",
  "  (connected, with nothing new). Without a connection there are states, ages and counters only. Alert with `absent()` or on",
  "  `monitor_channel_state`, not on a price that stands still.",
  `- **States** are one series each, 1 for the one that the channel is in: ${STATES.join(", ")}.`,
  "- **Values are doubles**: the text formats have no other numbers. Each is the double nearest to the exact value; one beyond the largest",
  "  double is absent. For exact figures take `--json`.",
  "- **Prices need the tick size**: best bid, best ask and last price are absent until it is known (from the config file, the service's list",
  "  of markets, or measured). Mark price, equity and liquidation price come as decimals.",
  "- **The distance to the liquidation** is |mark − liquidation| / mark, by the service's prices. It is absent where either is missing or not",
  "  positive, or where the position may be gone (`?` on the screen). Of several positions in one market, the nearest.",
  "- **Counters never fall within a run**, also when a channel is unsubscribed. They begin at 0 with each start.",
  "",
  "## Who can read them",
  "",
  "- The server listens on 127.0.0.1 unless an address is named: `--metrics 0.0.0.0:9464`. It has no password: on a network, put it behind",
  "  one that has, or name an address that only the collector reaches.",
  "- A request whose Host header is not this machine's is refused (421), so that no web page can read metrics under a name of its own. On",
  "  loopback that is `localhost` and loopback addresses; elsewhere also any address, the machine's name and the name in the option.",
  "- `--mask` replaces each address by a number (`•••1/0`), hides levels of account rules, and leaves equity out.",
  "- Plain text 0.0.4; OpenMetrics 1.0.0 when `Accept` asks for it, as Prometheus does. Only GET and HEAD of `/metrics` are answered, on at",
  "  most 32 connections. Metrics are computed at most ten times a second.",
  "",
  "## The file",
  "",
  "- It is replaced as a whole (a temporary file beside it, renamed), with the permissions of your umask, and removed when the watch ends, also",
  "  by SIGTERM. After a crash it stays: alert on its age, as the recipe does.",
  "- Its first line names the process. A second watch on the same file is refused, and so is a file that no watch has written. The file of a",
  "  dead watch is taken over (from another machine, once it has not changed for a minute).",
  "- When its folder vanishes, the watch says so once and goes on; when the folder is back, so is the file.",
];
