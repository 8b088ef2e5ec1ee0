// The clipboard of the user's terminal, also over SSH: OSC 52.

/**
 * Asks the terminal to put this text into the clipboard; draws nothing. The text stands in it as base64, so that nothing
 * of it can be a sequence. Terminals that do not know it pass over it, and none answers. Never throws.
 */
export function clipboardSequence(text: string): string {
  return `\x1b]52;c;${Buffer.from(text, "utf8").toString("base64")}\x07`;
}
