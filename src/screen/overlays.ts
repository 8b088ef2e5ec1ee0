// What stands over the view: a panel of lines (help, details), or a menu that words narrow (the palette).
import { cutText, textWidth } from "../terminal/width.ts";
import { drawFrame } from "./frame.ts";
import { formatKey } from "./key-names.ts";
import type { Key, Pane } from "./pane.ts";
import type { Menu, Panel, Ui } from "./ui.ts";

const scrollBy = (lines: number) => (ui: Ui) => {
  if (ui.panel !== undefined) ui.panel.top = Math.max(0, ui.panel.top + lines);
};
const close = (ui: Ui) => {
  ui.panel = undefined;
};
const PAGE = 10;

export const PANEL_KEYS: readonly Key[] = [
  { key: "escape q enter ?", says: "close", hint: "close", run: close },
  { key: "down j", says: "scroll down", run: scrollBy(1) },
  { key: "up k", says: "scroll up", run: scrollBy(-1) },
  { key: "page-down space", says: "a page down", run: scrollBy(PAGE) },
  { key: "page-up", says: "a page up", run: scrollBy(-PAGE) },
  { key: "home", says: "to the top", run: scrollBy(Number.NEGATIVE_INFINITY) },
  { key: "end", says: "to the end", run: scrollBy(Number.MAX_SAFE_INTEGER) },
  { key: "y", says: "copy", run: copyPanel },
];

function copyPanel(ui: Ui): void {
  if (ui.panel === undefined) return;
  const { title, lines } = ui.panel;
  ui.copy(
    lines()
      .map(([word, text]) => `${word}\t${text}`)
      .join("\n"),
    title,
  );
}

/** Drawn on a layer of its own. */
export const OVERLAY_PANE: Pane = {
  name: "overlay",
  draw(surface, _moment, ui) {
    const { panel, menu } = ui;
    if (panel === undefined && menu === undefined) return;
    surface.fill(0, 0, surface.width, surface.height);
    const inside = drawFrame(surface, [panel?.title ?? menu?.title ?? ""], true, ui.theme);
    if (menu !== undefined) drawMenu(inside, menu, ui);
    else if (panel !== undefined) drawPanel(inside, panel, ui);
  },
  point({ action, y }, ui) {
    if (ui.menu !== undefined && action === "press") chooseAt(ui, ui.menu, y);
    const rows = { "wheel-down": 3, "wheel-up": -3 }[action as "wheel-down" | "wheel-up"] ?? 0;
    if (ui.menu !== undefined) ui.menu.at = Math.max(0, ui.menu.at + rows);
    else scrollBy(rows)(ui);
  },
};

type Area = Parameters<Pane["draw"]>[0];

function drawPanel(surface: Area, panel: Panel, { theme: { tones } }: Ui): void {
  const lines = panel.lines();
  panel.top = Math.max(0, Math.min(panel.top, lines.length - surface.height));
  const most = Math.floor(surface.width / 2);
  const wide = Math.min(most, Math.max(0, ...lines.map(([word]) => textWidth(word))));
  const shown = lines.slice(panel.top, panel.top + surface.height);
  for (const [row, [word, text]] of shown.entries()) {
    surface.text(1, row, cutText(word, wide), text === "" ? tones.bright : tones.key);
    surface.text(wide + 3, row, cutText(text, surface.width - wide - 4));
  }
  const below = lines.length - panel.top - surface.height;
  if (below > 0)
    surface.textRight(surface.width - 1, surface.height - 1, `${below} more ▼`, tones.dim);
}

function drawMenu(surface: Area, menu: Menu, ui: Ui): void {
  const { tones, select } = ui.theme;
  const items = menu.items(ui.field?.text ?? "");
  menu.at = Math.max(0, Math.min(menu.at, items.length - 1));
  menu.top = Math.max(0, menu.at - surface.height + 1);
  const { top } = menu;
  for (const [row, { text, note }] of items.slice(top, top + surface.height).entries()) {
    const room = surface.width - textWidth(note) - 4;
    surface.text(1, row, cutText(text, room));
    surface.textRight(surface.width - 1, row, note, tones.dim);
  }
  if (items.length > 0) surface.restyle(0, menu.at - top, surface.width, select);
  else surface.text(1, 0, "nothing is called so", tones.dim);
}

function chooseAt(ui: Ui, menu: Menu, row: number): void {
  const item = menu.items(ui.field?.text ?? "")[menu.top + row];
  closeMenu(ui);
  item?.run(ui);
}

function closeMenu(ui: Ui): void {
  ui.menu = undefined;
  ui.field = undefined;
}

/** Opens a menu with a field for the words that narrow it. */
export function openMenu(ui: Ui, label: string, menu: Omit<Menu, "at" | "top">): void {
  const opened: Menu = { ...menu, at: 0, top: 0 };
  ui.menu = opened;
  ui.ask({
    label,
    onChange: () => {
      opened.at = 0;
    },
    onDone(text) {
      const item = opened.items(text)[opened.at];
      if (item === undefined) return "nothing is called so";
      closeMenu(ui);
      item.run(ui);
      return undefined;
    },
    onCancel: () => closeMenu(ui),
  });
}

/** Keys of a menu that its field does not take. @returns whether it was one */
export function moveInMenu(menu: Menu, key: string): boolean {
  const by = { up: -1, down: 1, "page-up": -PAGE, "page-down": PAGE, tab: 1, "shift+tab": -1 }[key];
  if (by === undefined) return false;
  menu.at = Math.max(0, menu.at + by);
  return true;
}

/** The lines of a help: keys and what they do, by place that has some. */
export function helpLines(
  places: readonly (readonly [place: string, keys: readonly Key[]])[],
): readonly (readonly [string, string])[] {
  return places.flatMap(([place, keys]) => {
    const lines = keys
      .filter(({ key }) => key !== "")
      .map(({ key, says }) => [key.split(" ").map(formatKey).join("  "), says] as const);
    return lines.length === 0 ? [] : [[place, ""] as const, ...lines, ["", ""] as const];
  });
}
