// Which keys are in force, and what a key does. The status line, the help and the palette read the same rows.
import type { Input } from "../terminal/input.ts";
import { helpLines, moveInMenu, PANEL_KEYS } from "./overlays.ts";
import { openPalette } from "./palette.ts";
import type { Key, View } from "./pane.ts";
import { TIMELINE_KEYS } from "./timeline.ts";
import type { Ui } from "./ui.ts";

export const GLOBAL_KEYS: readonly Key[] = [
  { key: "?", says: "the keys that matter here", hint: "help", run: openHelp },
  {
    key: ":",
    says: "go to a market, a view, or do something by its name",
    hint: "go to",
    run: goTo,
  },
  { key: "q ctrl+c", says: "quit", hint: "quit", run: (ui) => ui.services.quit() },
  { key: "f", says: "freeze everything, or go on", hint: "freeze", run: (ui) => ui.toggleFreeze() },
  { key: "escape", says: "back", run: (ui) => ui.back() },
  { key: "tab", says: "next pane", run: (ui) => ui.focusBy(1) },
  { key: "shift+tab", says: "previous pane", run: (ui) => ui.focusBy(-1) },
  { key: "z", says: "one pane alone, or all again", run: zoom },
  { key: "p", says: "mask sizes, money and accounts", run: mask },
  { key: "Z", says: "times in UTC, or in your zone", run: zone },
  { key: "n", says: "acknowledge alerts that fired", run: acknowledge },
  { key: "W", says: "save the last two minutes as a recording", run: (ui) => ui.services.save() },
  { key: "ctrl+l", says: "draw everything again", run: (ui) => ui.services.redraw() },
  { key: "ctrl+z", says: "suspend the program", run: (ui) => ui.services.suspend() },
];

function goTo(ui: Ui): void {
  // Views come before what can be done here, and that before what can be done in them.
  const inForce = keysInForce(ui)
    .toSorted(([a], [b]) => Number(b === "Views") - Number(a === "Views"))
    .flatMap(([, keys]) => keys);
  openPalette(ui, [...inForce, ...ui.services.views.flatMap((view) => keysFrom(ui, view))]);
}

/** What another view can do is done there. */
function keysFrom(ui: Ui, view: View): readonly Key[] {
  if (view === ui.view) return [];
  return (view.keys ?? []).map(({ says, run }) => ({
    ...{ key: view.key, says },
    run(to) {
      to.open(view);
      if (to.view === view) run(to);
    },
  }));
}

function acknowledge({ services }: Ui): void {
  for (const alert of services.alerts.all()) alert.isAcknowledged = true;
}

function zoom(ui: Ui): void {
  ui.isZoomed = !ui.isZoomed;
}

function mask(ui: Ui): void {
  ui.isMasked = !ui.isMasked;
}

function zone(ui: Ui): void {
  const isUtc = ui.display.timeZone === "UTC";
  ui.display = { ...ui.display, timeZone: isUtc ? ui.services.timeZone : "UTC" };
  ui.notify(isUtc ? "times in your zone" : "times in UTC");
}

/** By place, the most specific first. */
export function keysInForce(ui: Ui): readonly (readonly [place: string, keys: readonly Key[]])[] {
  if (ui.panel !== undefined) return [["Here", PANEL_KEYS]];
  const { view, focus, services } = ui;
  const views = services.views.map(
    (each): Key => ({ key: each.key, says: each.title, run: () => ui.open(each) }),
  );
  const isElsewhere = ui.elsewhere?.timeline !== undefined;
  const time = ["Time", isElsewhere ? TIMELINE_KEYS : TIMELINE_KEYS.map(withoutHint)] as const;
  return [
    // Elsewhere in time, moving in it is what matters.
    ...(isElsewhere ? [time] : []),
    [focus?.name ?? "", focus?.keys ?? []],
    [view.title, view.keys ?? []],
    ["Everywhere", GLOBAL_KEYS],
    ...(isElsewhere ? [] : [time]),
    ["Views", views],
  ];
}

function withoutHint({ hint: _, ...key }: Key): Key {
  return key;
}

/** The row of a key, as names and places say. */
function findKey(ui: Ui, name: string): Key | undefined {
  for (const [, keys] of keysInForce(ui)) {
    const found = keys.find(({ key }) => key.split(" ").includes(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function handleInput(ui: Ui, input: Extract<Input, { kind: "key" | "paste" }>): void {
  if (input.kind === "paste") ui.field?.insert(input.text);
  else if (ui.field !== undefined) type(ui, input.name, input.text);
  else findKey(ui, input.name)?.run(ui);
}

function type(ui: Ui, name: string, text: string): void {
  if (ui.menu !== undefined && moveInMenu(ui.menu, name)) return;
  const { field } = ui;
  // What it did may have opened the next one.
  if (field?.key(name, text) && ui.field === field) ui.field = undefined;
}

/** First the keys with a hint and those of the views, then all others. */
function openHelp(ui: Ui): void {
  const isFirst = (place: string, { hint }: Key) => place === "Views" || hint !== undefined;
  const lines = (first: boolean) =>
    helpLines(
      keysInForce(ui).map(
        ([place, keys]) => [place, keys.filter((key) => isFirst(place, key) === first)] as const,
      ),
    );
  const all = [
    ...lines(true),
    ["", "all others, which words find under :"] as const,
    ...lines(false),
  ];
  ui.openPanel("Keys", () => all);
}
