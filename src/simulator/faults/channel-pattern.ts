// Channel patterns of fault rows: a channel name or REST path in which `*` stands for anything.

/** Makes a test for a pattern. Everything but `*` stands for itself. Never throws. */
export function createPattern(pattern: string): (text: string) => boolean {
  const literal = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const form = new RegExp(`^${literal.join(".*")}$`);
  return (text) => form.test(text);
}
