// A recorded half minute of the simulated exchange on the dashboard, at the moment of its last line: for pictures of
// screens that are the same on every machine.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { Clipboard } from "../../src/screen/clipboard.ts";
import { Dashboard } from "../../src/screen/dashboard.ts";
import { VIEWS } from "../../src/screen/views/views.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { decodeEntry } from "../../src/timeline/recording-reader.ts";
import { Replay } from "../../src/timeline/replay.ts";
import { pastOf } from "../../src/timeline/timeline-cursor.ts";
import liquidations from "../fixtures/rest/liquidations.json" with { type: "json" };
import listings from "../fixtures/screens/listings.json" with { type: "json" };
import { alertRule } from "./alert-rule.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const FOLDER = new URL("../fixtures/screens/", import.meta.url);
const ADDRESS = "TZPVufw9kodsCtzFQcJN3PXJ2oFSmRhrMo7CVj8y6sL3";
const OWNER = { owner: "0x0f183c9049375ae4f22f69747fdc5fd12d66666a", subaccountId: 0 };
const LIQUIDATIONS = 12;

const lines = gunzipSync(readFileSync(new URL("session.ndjson.gz", FOLDER)))
  .toString()
  .trimEnd()
  .split("\n")
  .slice(1)
  .flatMap((line) => decodeEntry(line) ?? []);

const store = new Store();
const times = { t: lines[0]?.t ?? 0, w: lines[0]?.w ?? 0 };
const now = () => times.t;
const wall = () => times.w;
const historyBuffer = new HistoryBuffer({ live: store, clock: { now, wall } });
const scales = openScales(store, {});
const replay = new Replay({
  dispatch(event) {
    historyBuffer.event(event);
    store.dispatch(event);
  },
  advance(nowMs) {
    historyBuffer.pass(nowMs);
    store.advance(nowMs);
  },
  restore: () => {},
  restoreSession: () => {},
});
for (const line of lines) {
  times.t = line.t;
  times.w = line.w;
  replay.apply(line);
}

/** A new dashboard with all of the session behind it, which all of them share. */
export function openScreenScene(): Dashboard {
  const alerts = new AlertManager({ store, scales, now, wall });
  for (const text of ["perp/1 last > 97100", "perp/1 funding crosses 0 every 1h"]) {
    alerts.add(alertRule(text), "screen");
  }
  const clock = { ...createVirtualClock(), now, wall };
  const dashboard = new Dashboard({
    store,
    scales,
    alerts,
    now,
    wall,
    views: VIEWS,
    interval: "1m",
    isSimulated: true,
    account: { address: ADDRESS, subaccountId: "0" },
    watchlist: [
      { type: "perp", id: "1" },
      { type: "perp", id: "2" },
    ],
    clipboard: new Clipboard({ send: () => {}, now, isTaken: true }),
    past: pastOf(historyBuffer),
    onQuit: () => {},
    onRedraw: () => {},
    onSuspend: () => {},
  });
  dashboard.open({ type: "perp", id: "1" });
  dashboard.listings.feed = {
    clock,
    owner: OWNER,
    sourceOf: (listing) => ({
      listing,
      async page(before, limit) {
        const rows = rowsOf(JSON.stringify(listing)).filter(
          ({ id }) => before === undefined || BigInt(id) < before,
        );
        return rows.slice(0, limit).map(({ row }) => row) as never;
      },
    }),
    running: "",
    fileName: (name) => name,
    export: () => {},
  };
  return dashboard;
}

/** Rows of a listing by their ids, the newest first. */
function rowsOf(kind: string): { readonly id: string; readonly row: object }[] {
  if (kind.includes("liquidations")) {
    const [model] = liquidations.good[0]?.message ?? [];
    return Array.from({ length: LIQUIDATIONS }, (_, i) => {
      const id = `${LIQUIDATIONS - i}`;
      const timestamp_ms = 1_795_331_000_000 - i * 61_000;
      return { id, row: { ...model, liquidation_id: id, timestamp_ms } };
    });
  }
  const rows = kind.includes("subaccounts") ? listings.fills : listings.trades;
  return rows.map((row) => ({ id: row.trade_id, row }));
}
