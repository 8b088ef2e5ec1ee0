// What keys do with a recording that is played, and what the status line says of it.

import type { Action } from "../../screen/keys.ts";
import type { ReplayControl } from "../../screen/shown.ts";
import type { Player } from "../../timeline/player.ts";
import { formatAge, formatIsoMs } from "../../units/time.ts";

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

/** Never throws. */
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
