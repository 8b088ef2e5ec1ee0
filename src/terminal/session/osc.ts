// Operating system commands: what the program asks of a terminal besides its cells. All of them are made here, so that no text
// from outside can end one and begin another.

import type { TerminalTraits } from "./terminal-traits.ts";

/** One command. Texts are the program's own words; what came from outside is in them as `remoteWord` gives it. */
export type OscCommand =
  | { readonly kind: "title"; readonly text: string }
  | { readonly kind: "notification"; readonly text: string }
  /** What the user pastes from now on. It stands in the command as base64: any text will do. */
  | { readonly kind: "clipboard"; readonly text: string };

const BEL = "\x07";
const ST = "\x1b\\";

/** Controls would be obeyed; some terminals show nothing at all of a long notification. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_TEXT = 200;

export function oscSequence(command: OscCommand, { isTmux, notification }: TerminalTraits): string {
  switch (command.kind) {
    case "title":
      return titleSequence(command.text);
    case "clipboard": {
      const sequence = `\x1b]52;c;${Buffer.from(command.text, "utf8").toString("base64")}${BEL}`;
      // Whether tmux takes it or hands it on depends on two settings of which neither is on by itself.
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

/** Asks for the colour of the background, which is answered like input; tmux answers it itself. */
export const BACKGROUND_QUESTION = `\x1b]11;?${BEL}`;

export const NO_TITLE = titleSequence("");

/** Each names the program once: where there is a title, that is it. */
const NOTIFICATIONS = {
  9: (text: string) => `\x1b]9;monitor: ${text}${BEL}`,
  99: (text: string) => `\x1b]99;;monitor: ${text}${ST}`,
  777: (text: string) => `\x1b]777;notify;monitor;${text}${BEL}`,
} as const satisfies Record<TerminalTraits["notification"], (text: string) => string>;

/** Through tmux to the terminal outside; it does so where `allow-passthrough` is on. */
function wrapped(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}${ST}`;
}

// A semicolon would end the text of a notification.
function safe(text: string): string {
  return text.replace(CONTROL, "").replaceAll(";", ",").slice(0, MAX_TEXT);
}

const FOREIGN = /[^A-Za-z0-9\-/._]+/g;
const MAX_WORD = 24;

/** A word from outside as it may stand in a command: ASCII letters, digits and `-/._`, anything else as `_`; 24 at most. */
export function remoteWord(text: string): string {
  return text.replace(FOREIGN, "_").slice(0, MAX_WORD);
}
