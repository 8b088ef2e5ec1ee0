// Patterns of JSON values as services write them, each with one group: a part of what JSON and the schemas allow.

/** Longest integers and decimals that are read: u128 and then some. Longer text is an attack or a fault. */
export const MAX_INTEGER_DIGITS = 39;
/** Characters that a decimal may have; a longer one is refused. */
export const MAX_DECIMAL_LENGTH = 60;

/** Patterns of the value types of section 2.1, in quotes where JSON has them, each with one group: the value. */
export const TEXT_FORMS = {
  unsigned: '"([0-9]+(?:\\.[0-9]+)?)"',
  signed: '"(-?[0-9]+(?:\\.[0-9]+)?)"',
  /** Without escapes: what stands there is the value. */
  text: '"([^"\\\\\\x00-\\x1f]*)"',
  flag: "(true|false)",
  /** As many digits as a number holds exactly. */
  integer: "(-?(?:0|[1-9][0-9]{0,14}))",
} as const;

/** The pattern of an object with these fields in this order, written without spaces; a group for each. */
export function objectForm(fields: readonly (readonly [name: string, form: string])[]): string {
  return `\\{${fields.map(([name, form]) => `"${name}":${form}`).join(",")}\\}`;
}
