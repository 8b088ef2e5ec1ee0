// A recording on the dashboard: paced by this machine's clock, showing the recording's own times.
import type { Context } from "../../args/context.ts";
import { openPersistedState } from "../../config/persisted-state.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { Recording } from "../../screen/shown.ts";
import { Store } from "../../state/store.ts";
import type { Watcher } from "../../terminal/session/watcher.ts";
import { getNamedChannel, isMadeSession } from "../../timeline/entry.ts";
import { Player } from "../../timeline/player.ts";
import {
  openRecording,
  type RecordingSummary,
  summarizeRecording,
} from "../../timeline/recording-reader.ts";
import { formatMade, RecordingWalk } from "../../timeline/replay.ts";
import { getPersistedChoices } from "../screen/persisted-choices.ts";
import { runScreen } from "../screen/screen.tsx";
import type { ReplayRun } from "./headless-replay.ts";
import { ReplayedSession, replayedAccount, replayedMarket } from "./session.ts";

/** @throws what ends the screen: a broken recording, an internal error */
export function runReplayDashboard(
  context: Context,
  run: ReplayRun & { readonly path: string },
  watcher: Watcher | undefined,
): Promise<number> {
  const { heading } = run.reader;
  const session = new ReplayedSession(heading.settings, heading, new Store());
  const open = async () => (await openRecording(run.path, context)).entries;
  const channels: string[] = [];
  let dashboard: Dashboard | undefined;
  let summary: RecordingSummary | undefined;
  const player = new Player({
    clock: context.clock,
    startMs: heading.t,
    open,
    apply: (entry) => {
      const changed = session.apply(entry);
      if (isMadeSession(entry)) dashboard?.showNotice(formatMade(entry));
      const channel = getNamedChannel(entry);
      if (channel === undefined || channels.includes(channel)) return changed;
      channels.push(channel);
      if (dashboard !== undefined) follow(dashboard, session, channels, run);
      return changed;
    },
    onRestart: () => session.restart(),
    onChange: () => dashboard?.notify(),
  });
  return runScreen(context, { config: run.config, watcher }, async () => {
    const isSimulated = heading.settings.simulated;
    const persisted = isSimulated ? undefined : await openPersistedState(context.clock);
    return {
      options: {
        ...getPersistedChoices(persisted),
        store: session.store,
        scales: session.scales,
        now: () => player.placeMs,
        wall: () => getWall(session, player),
        interval: run.interval,
        isSimulated,
        ...(heading.settings.command === "account" && { start: "account" }),
        replay: getRecording(player, {
          store: session.store,
          startMs: heading.t,
          wall: () => getWall(session, player),
          summary: () => summary,
          walk: (channels) =>
            new RecordingWalk({
              store: new Store(),
              startMs: heading.t,
              channels,
              open,
              applied: () => player.applied,
            }),
        }),
      },
      start(shown, onFailure) {
        dashboard = shown;
        if (run.market !== undefined && !("symbol" in run.market)) shown.open(run.market);
        player.run().catch(onFailure);
        summarizeRecording(run.path, context).then(
          (found) => {
            summary = found;
            shown.notify();
            // The player reports what cannot be read.
          },
          () => {},
        );
        return () => {
          player.stop();
          persisted?.save();
        };
      },
    };
  });
}

function follow(
  dashboard: Dashboard,
  { store }: ReplayedSession,
  channels: readonly string[],
  { market: named }: ReplayRun,
): void {
  if (dashboard.account === undefined) {
    const account = replayedAccount(channels);
    if (account?.subaccountId !== undefined) dashboard.watch(account);
  }
  if (dashboard.market !== undefined) return;
  const market = replayedMarket(channels, store, named);
  if (market !== undefined) dashboard.open(market);
}

function getWall({ nowMs, wallMs }: ReplayedSession, { placeMs }: Player): number {
  return wallMs + (placeMs - nowMs);
}

export function getRecording(
  player: Player,
  {
    store,
    startMs,
    wall,
    summary,
    walk,
  }: {
    readonly store: Store;
    readonly startMs: number;
    readonly wall: () => number;
    readonly summary?: () => RecordingSummary | undefined;
    readonly walk?: Recording["walk"];
  },
): Recording {
  return {
    store,
    startMs,
    get words() {
      return `${player.isOver ? "■ end" : player.isPaused ? "‖" : "▶"} ×${player.speed}`;
    },
    get isPaused() {
      return player.isPaused;
    },
    get atMs() {
      return player.placeMs;
    },
    get wallMs() {
      return wall();
    },
    get endMs() {
      return Math.max(player.endMs, summary?.()?.endMs ?? 0);
    },
    get links() {
      return summary?.()?.links;
    },
    goTo: (ms) => player.goTo(ms),
    step: (by, channels) => player.step(by, channels),
    togglePause: () => player.togglePause(),
    changeSpeed: (by) => player.changeSpeed(by),
    ...(walk !== undefined && { walk }),
  };
}
