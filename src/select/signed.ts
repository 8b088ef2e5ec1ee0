// Numbers that are told with their sign.

/** Decimal text with its sign: `+0.5`, `-0.5`, `+0`. Never throws. */
export function withSign(text: string): string {
  return text.startsWith("-") ? text : `+${text}`;
}

/** Which way decimal text points: none for zero, however many digits it has. Never throws. */
export function signOf(text: string): "positive" | "negative" | "none" {
  if (!/[1-9]/.test(text)) return "none";
  return text.startsWith("-") ? "negative" : "positive";
}
