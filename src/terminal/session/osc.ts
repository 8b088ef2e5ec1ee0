// Operating system commands: what the program sends to a terminal apart from cells. All of them are made here, so that no text
// from outside can end one and start another.

import type { TerminalTraits } from "./terminal-traits.ts";

/** One command. Texts are the program's own; parts from outside must be passed through `remoteLabel`. */
export type OscCommand =
  | { readonly kind: "title"; readonly text: string }
  | { readonly kind: "notification"; readonly text: string }
  /** Copies to the clipboard. Sent as base64, so any text is allowed. */
  | { readonly kind: "clipboard"; readonly text: string };

const BEL = "\x07";
const ST = "\x1b\\";

/** Control characters would be executed; some terminals show nothing at all for a long notification. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_TEXT = 200;

export function oscSequence(command: OscCommand, { isTmux, notification }: TerminalTraits): string {
  switch (command.kind) {
    case "title":
      return titleSequence(command.text);
    case "clipboard": {
      const sequence = `\x1b]52;c;${Buffer.from(command.text, "utf8").toString("base64")}${BEL}`;
      // Whether tmux handles it itself or passes it on depends on two settings, neither of which is on by default.
      return isTmux ? `${sequence}${wrapped(sequence)}` : sequence;
    }
    case "notification": {
      const sequence = NOTIFICATIONS[notification](safe(command.text));
      return isTmux ? wrapped(sequence) : sequence;
    }
  }
}

function titleSequence(text: string): string {
  return `\x1b]2;${safe(text)}${BEL}`;
}

/** Queries the background colour; the reply arrives as input. tmux replies itself. */
export const BACKGROUND_QUESTION = `\x1b]11;?${ST}`;

export const NO_TITLE = titleSequence("");

/** Each contains the program's name exactly once: if there is a title, that is it. */
const NOTIFICATIONS = {
  9: (text: string) => `\x1b]9;monitor: ${text}${BEL}`,
  99: (text: string) => `\x1b]99;;monitor: ${text}${ST}`,
  777: (text: string) => `\x1b]777;notify;monitor;${text}${BEL}`,
} as const satisfies Record<TerminalTraits["notification"], (text: string) => string>;

/** Passes a sequence through tmux to the outer terminal; requires `allow-passthrough`. */
function wrapped(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}${ST}`;
}

// A semicolon would end the text of a notification.
function safe(text: string): string {
  return text.replace(CONTROL, "").replaceAll(";", ",").slice(0, MAX_TEXT);
}

const FOREIGN = /[^A-Za-z0-9\-/._]+/g;
const MAX_WORD = 24;

/**
 * A word from outside, made safe for a command: ASCII letters, digits and `-/._`, anything else as `_`; at most 24 characters.
 */
export function remoteLabel(text: string): string {
  return text.replace(FOREIGN, "_").slice(0, MAX_WORD);
}
