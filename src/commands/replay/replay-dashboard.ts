// A recording on the dashboard: played on the machine's clock, with the recording's own times.
import type { Context } from "../../args/context.ts";
import { aliasesOf } from "../../config/settings.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { Action } from "../../screen/keys.ts";
import type { ReplayControl } from "../../screen/shown.ts";
import { Store } from "../../state/store.ts";
import type { Watcher } from "../../terminal/session/watcher.ts";
import type { Entry } from "../../timeline/entry.ts";
import { Player } from "../../timeline/player.ts";
import { openRecording } from "../../timeline/recording-reader.ts";
import { formatAge, formatIsoMs } from "../../units/time.ts";
import { runScreen } from "../screen/screen.tsx";
import type { ReplayRun } from "./headless-replay.ts";
import { ReplayedSession, replayedAccount, replayedMarket } from "./session.ts";

/**
 * Shows the recording until the user leaves. Answers the exit code.
 * @throws what ends the screen: a broken recording, a fault of ours
 */
export function runReplayDashboard(
  context: Context,
  run: ReplayRun & { readonly path: string; readonly speed: number },
  watcher: Watcher | undefined,
): Promise<number> {
  const { heading } = run.reader;
  const session = new ReplayedSession(heading.settings, heading, new Store(aliasesOf(run.config)));
  const channels: string[] = [];
  let dashboard: Dashboard | undefined;
  const player = new Player({
    clock: context.clock,
    startMs: heading.t,
    speed: run.speed,
    open: async () => (await openRecording(run.path, context)).entries,
    apply: (entry) => {
      session.tell(entry);
      const channel = askedChannel(entry);
      if (channel === undefined || channels.includes(channel)) return;
      channels.push(channel);
      if (dashboard !== undefined) follow(dashboard, session, channels, run);
    },
    onRestart: () => session.restart(),
    onChange: () => dashboard?.notify(),
  });
  return runScreen(context, { config: run.config, watcher }, async () => ({
    options: {
      store: session.store,
      scales: session.scales,
      now: () => player.placeMs,
      wall: () => wallOf(session, player),
      interval: run.interval,
      isSimulated: heading.settings.simulated,
      ...(heading.settings.command === "account" && { start: "account" }),
      replay: playerControl(player, { startMs: heading.t, wall: () => wallOf(session, player) }),
    },
    start(shown, onFailure) {
      dashboard = shown;
      if (run.market !== undefined && !("symbol" in run.market)) shown.open(run.market);
      player.run().catch(onFailure);
      return () => player.stop();
    },
  }));
}

function askedChannel(entry: Entry): string | undefined {
  return "event" in entry && entry.event.type === "subscribing" ? entry.event.channel : undefined;
}

/** Shows the market and the account that the recorded session asked for first. */
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

function wallOf({ nowMs, wallMs }: ReplayedSession, { placeMs }: Player): number {
  return wallMs + (placeMs - nowMs);
}

/** How far a key jumps. */
const JUMP_MS = 10_000;
const LONG_JUMP_MS = 120_000;

const ACTIONS: Readonly<Partial<Record<Action, (player: Player) => void>>> = {
  replayPause: (player) => player.togglePause(),
  replayStep: (player) => player.step(),
  replayBack: (player) => player.seekBy(-JUMP_MS),
  replayForward: (player) => player.seekBy(JUMP_MS),
  replayBackMore: (player) => player.seekBy(-LONG_JUMP_MS),
  replayForwardMore: (player) => player.seekBy(LONG_JUMP_MS),
  replaySlower: (player) => player.changeSpeed(-1),
  replayFaster: (player) => player.changeSpeed(1),
};

/** The times that a recording is shown with. */
export interface PlayerTimes {
  /** Where the recording begins, by its own monotonic clock. */
  readonly startMs: number;
  /** The wall clock of the recording's machine at the place that is shown, Unix milliseconds. */
  readonly wall: () => number;
}

export function playerControl(player: Player, { startMs, wall }: PlayerTimes): ReplayControl {
  return {
    get words() {
      const sign = player.isOver ? "■ end" : player.isPaused ? "‖" : "▶";
      const at = formatIsoMs(wall()).slice(0, 19).replace("T", " ");
      return `${sign} ×${player.speed} ${at} +${formatAge(player.placeMs - startMs)}`;
    },
    perform(action) {
      const act = ACTIONS[action];
      act?.(player);
      return act !== undefined;
    },
  };
}
