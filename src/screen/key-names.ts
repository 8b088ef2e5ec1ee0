// Keys as they are written on keyboards.

const WORDS: Readonly<Record<string, string>> = {
  ...{ escape: "Esc", "page-up": "PgUp", "page-down": "PgDn", up: "↑", down: "↓" },
  ...{ left: "←", right: "→", enter: "Enter", tab: "Tab", space: "Space", home: "Home" },
  ...{ end: "End", backspace: "Backspace", delete: "Del" },
};

/** `ctrl+l` as `Ctrl+L`, `page-up` as `PgUp`. */
export function formatKey(name: string): string {
  const [, modifiers = "", key = ""] = /^((?:(?:ctrl|alt|shift)\+)*)(.+)$/s.exec(name) ?? [];
  const written = WORDS[key] ?? (modifiers === "" ? key : key.toUpperCase());
  return modifiers.replace(/(^|\+)[a-z]/g, (each) => each.toUpperCase()) + written;
}
