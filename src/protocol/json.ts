// JSON text to a value without throwing.

/** @returns undefined when the text is not JSON (undefined is no JSON value). Never throws. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
