// How current what is shown is: the word, its sign and its tone, the same in every pane.
import { formatSpan } from "../rows/format.ts";
import { type ChannelState, channelState } from "../state/channel-state.ts";
import type { Moment } from "../state/moment.ts";
import type { Theme } from "./theme.ts";
import type { Tone } from "./themes.ts";
import type { Ui } from "./ui.ts";

const SIGNS: Readonly<Record<ChannelState, { readonly sign: string; readonly tone: Tone }>> = {
  waiting: { sign: "◌", tone: "dim" },
  live: { sign: "●", tone: "gain" },
  quiet: { sign: "○", tone: "dim" },
  stale: { sign: "◌", tone: "stale" },
  resync: { sign: "↻", tone: "notice" },
  offline: { sign: "×", tone: "stale" },
  refused: { sign: "⊘", tone: "bad" },
  off: { sign: "–", tone: "dim" },
  listed: { sign: "≡", tone: "dim" },
};

export function isCurrent(state: ChannelState): boolean {
  return state === "live" || state === "quiet" || state === "listed";
}

/** What is not known to be current is without colours. */
export function themeIn(state: ChannelState, { theme }: Ui): Theme {
  return isCurrent(state) ? theme : theme.outdated;
}

export function themeOf({ store, nowMs }: Moment, channel: string, ui: Ui): Theme {
  return themeIn(channelState(store.channels.get(channel), store.link, nowMs), ui);
}

export interface ShownState {
  /** `● live 0.1 s`. */
  readonly text: string;
  readonly tone: Tone;
  readonly state: ChannelState;
}

export function formatState({ store, nowMs }: Moment, channel: string): ShownState {
  const status = store.channels.get(channel);
  // What comes late was old when it came.
  const lateMs = store.link.isLate ? store.link.lagMs : 0;
  const ageMs = status?.lastAtMs === undefined ? undefined : nowMs - status.lastAtMs + lateMs;
  return shownState(channelState(status, store.link, nowMs), ageMs);
}

export function shownState(state: ChannelState, ageMs: number | undefined): ShownState {
  const { sign, tone } = SIGNS[state];
  const age = ageMs === undefined ? "" : ` ${formatSpan(ageMs)}`;
  return { text: `${sign} ${state}${age}`, tone, state };
}

/** The tone of a state's word. */
export function stateTone(state: string): Tone {
  return (SIGNS as Readonly<Record<string, { readonly tone: Tone }>>)[state]?.tone ?? "plain";
}
