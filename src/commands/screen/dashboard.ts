// The dashboard of a live session; the connection behind it is loaded after the first frame.

import { notifyEffect } from "../../alerts/alert-effects.ts";
import type { AlertFiring } from "../../alerts/alert-manager.ts";
import { AlertRun } from "../../alerts/alert-run.ts";
import { RecordEffect } from "../../alerts/record-effect.ts";
import type { Context } from "../../args/context.ts";
import {
  openPersistedState,
  persistHistory,
  persistSymbols,
  persistWatchlist,
  readHistory,
  readWatchlist,
} from "../../config/persisted-state.ts";
import type { Service } from "../../live/service.ts";
import type { DashboardOptions } from "../../screen/dashboard.ts";
import type { SessionPast } from "../../screen/shown.ts";
import { openScales } from "../../select/scale.ts";
import { Store } from "../../state/store.ts";
import { terminalTraits } from "../../terminal/session/terminal-traits.ts";
import type { Watcher } from "../../terminal/session/watcher.ts";
import type { FlightRecorder } from "../../timeline/flight-recorder.ts";
import { HistoryBuffer } from "../../timeline/history-buffer.ts";
import type { LiveRun } from "../live-run.ts";
import type { LiveMarketOptions } from "./live-market.ts";
import { getPersistedChoices } from "./persisted-choices.ts";
import { runScreen } from "./screen.tsx";

/** @throws what it cannot recover from: no such market, no WebSocket at that address, an internal error */
export async function runDashboard(
  context: Context,
  run: LiveRun,
  watcher: Watcher | undefined,
): Promise<number> {
  const { clock } = context;
  const { record } = context.options;
  const { config } = run;
  const { notify } = config;
  let flights: FlightRecorder | undefined;
  const shown = runScreen(context, { config, watcher }, async (ports) => {
    const store = new Store();
    const historyBuffer = new HistoryBuffer({ live: store, clock });
    let past: SessionPast | undefined;
    const scales = openScales(store, run.knownScales);
    const persisted = run.isSimulated ? undefined : await openPersistedState(clock);
    const { watchlist = [] } = config;
    const { emit, isMasked, onChange } = ports;
    const recordings = new RecordEffect({
      recorder: () => flights,
      clock,
      isMasked,
      onChange: ({ fault }) => alerts.manager.noteRecording(fault),
    });
    const effects = [
      notifyEffect(emit, isMasked, terminalTraits(context.env)),
      (firing: AlertFiring) => void recordings.run(firing),
    ];
    const alerts: AlertRun = new AlertRun({
      context,
      config,
      store,
      scales,
      persisted,
      effects,
      onChange,
    });
    let save: DashboardOptions["save"];
    return {
      options: {
        store,
        scales,
        alerts: alerts.manager,
        now: () => clock.now(),
        wall: () => clock.wall(),
        account: run.account,
        accounts: run.accounts,
        ...(run.start !== undefined && { start: run.start }),
        interval: run.interval,
        isSimulated: run.isSimulated,
        past: {
          get startMs() {
            return historyBuffer.startMs;
          },
          open: (atMs) => past?.open(atMs),
          walk: (fromMs, channels) => past?.walk?.(fromMs, channels),
        },
        history: readHistory(persisted),
        ...getPersistedChoices(persisted),
        watchlist: readWatchlist(persisted, watchlist),
        onWatch: (markets) => persistWatchlist(persisted, watchlist, markets),
        isListingOnly: run.isListingOnly ?? false,
        save: (request) => save?.(request),
        running: () =>
          [record ?? [], flights?.writing ?? []]
            .flat()
            .map((file) => `recording to ${file}`)
            .join(", "),
        bell: () => {
          if (notify?.includes("link")) ports.emit("\u0007");
        },
      },
      start(dashboard, onFailure) {
        import("../../timeline/timeline-cursor.ts").then(({ pastOf }) => {
          past = pastOf(historyBuffer);
        }, onFailure);
        let service: Service | undefined;
        const findService = async () => {
          service = await run.findService();
          return service;
        };
        import("../flight.ts").then(({ createSave, openFlightRecorder }) => {
          const { isMasked } = ports;
          const { command, interval, isSimulated, knownScales } = run;
          const facts = () => ({ command, interval, isSimulated, knownScales, service });
          flights = openFlightRecorder(context, { historyBuffer, scales, isMasked, facts });
          save = createSave({
            recorder: flights,
            clock,
            market: () => dashboard.market,
            say: (text) => dashboard.showNotice(text),
          });
        }, onFailure);
        const stop = feed(
          { context, dashboard, historyBuffer, market: run.market, onFailure },
          { ...run, findService },
        );
        return () => {
          stop();
          persistHistory(persisted, dashboard.palette.history);
          persistSymbols(persisted, store);
          persisted?.save();
        };
      },
    };
  });
  try {
    return await shown;
  } finally {
    await flights?.close();
  }
}

/** Connects. @returns its stop function, which also works while the service is still being found or after a partial failure */
function feed(options: Omit<LiveMarketOptions, "service" | "onOpen">, run: LiveRun): () => void {
  const closes: (() => void)[] = [];
  const onOpen = (close: () => void) => closes.unshift(close);
  let isOver = false;
  const connect = async () => {
    const [feeder, service] = await Promise.all([getFeeder(run), run.findService()]);
    if (!isOver) feeder({ ...options, service, onOpen });
  };
  connect().catch(options.onFailure);
  return () => {
    isOver = true;
    for (const close of closes) close();
  };
}

async function getFeeder({ isListingOnly }: LiveRun) {
  return isListingOnly === true
    ? (await import("./feed-histories.ts")).feedListings
    : (await import("./live-market.ts")).feedMarket;
}
