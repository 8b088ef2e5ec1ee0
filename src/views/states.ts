// How current what is shown is: the word, its sign and its tone, the same in every pane.
import { formatSpan } from "../rows/format.ts";
import type { Theme } from "../screen/theme.ts";
import type { Tone } from "../screen/themes.ts";
import type { Ui } from "../screen/ui.ts";
import { type ChannelState, channelState } from "../state/channel-state.ts";
import type { Moment } from "../state/moment.ts";

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
export function themeOf(moment: Moment, channel: string, { theme }: Ui): Theme {
  return isCurrent(formatState(moment, channel).state) ? theme : theme.outdated;
}

/** `● live 0.1 s`. */
export function formatState(
  { store, nowMs }: Moment,
  channel: string,
): { readonly text: string; readonly tone: Tone; readonly state: ChannelState } {
  const status = store.channels.get(channel);
  const state = channelState(status, store.link, nowMs);
  const { sign, tone } = SIGNS[state];
  const age = status?.lastAtMs === undefined ? "" : ` ${formatSpan(nowMs - status.lastAtMs)}`;
  return { text: `${sign} ${state}${age}`, tone, state };
}

/** The tone of a state's word. */
export function stateTone(state: string): Tone {
  return (SIGNS as Readonly<Record<string, { readonly tone: Tone }>>)[state]?.tone ?? "plain";
}
