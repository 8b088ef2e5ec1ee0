// The keys of every view, read from the views' own rows.
import { createDialect } from "../../src/dialect/dialect.ts";
import { formatKey } from "../../src/screen/key-names.ts";
import { GLOBAL_KEYS } from "../../src/screen/keys.ts";
import { panesOf } from "../../src/screen/layout.ts";
import type { Key, View } from "../../src/screen/pane.ts";
import { createTheme } from "../../src/screen/theme.ts";
import { TIMELINE_KEYS } from "../../src/screen/timeline.ts";
import { Ui } from "../../src/screen/ui.ts";
import { createStore } from "../../src/state/store.ts";
import { VIEWS } from "../../src/views/views.ts";

/** A heading, and rows of keys and what they do. */
export interface KeyGroup {
  readonly heading: string;
  readonly rows: readonly (readonly [keys: string, says: string])[];
}

const PRESETS = ["1", "2", "3", "4"];

export function keyGroups(): readonly KeyGroup[] {
  const ui = openUi();
  const ofViews = VIEWS.map((view) => ({ view, keys: keysOf(view, ui) }));
  const all = ofViews.flatMap(({ keys }) => keys);
  const isShared = (key: Key) => all.filter((each) => isSame(each, key)).length >= TABLES;
  const views = VIEWS.map(({ key, title }) => ({ key, says: title, run: () => {} }));
  return [
    groupOf("Everywhere", GLOBAL_KEYS),
    groupOf("Views", views),
    groupOf("Tables", all.filter(isShared)),
    groupOf("Back in time, and in a recording", TIMELINE_KEYS),
    ...ofViews.map(({ view, keys }) =>
      groupOf(
        view.title,
        keys.filter((key) => !isShared(key)),
      ),
    ),
  ].filter(({ rows }) => rows.length > 0);
}

/** What so many views have, every table has. */
const TABLES = 4;
const isSame = (one: Key, other: Key) => one.key === other.key && one.says === other.says;

/** Of the view and of all its panes, each once. */
function keysOf(view: View, ui: Ui): readonly Key[] {
  ui.view = view;
  const panes = PRESETS.flatMap((preset) => {
    view.keys?.find(({ key }) => key === preset)?.run(ui);
    return panesOf(view.layout(ui));
  });
  const keys = [...(view.keys ?? []), ...panes.flatMap((pane) => pane.keys ?? [])];
  return keys.filter((key, i) => keys.findIndex((each) => isSame(each, key)) === i);
}

function groupOf(heading: string, keys: readonly Key[]): KeyGroup {
  const rows = new Map(
    keys.map(({ key, says }) => [
      `${key} ${says}`,
      [key === "" ? ":" : key.split(" ").map(formatKey).join(" "), says] as const,
    ]),
  );
  return { heading, rows: [...rows.values()] };
}

/** An interface that shows nothing: layouts depend on what was chosen in it. */
function openUi(): Ui {
  const moment = { store: createStore(createDialect()), nowMs: 0, wallMs: 0 };
  const theme = createTheme({ name: "dark", colours: "usual", rising: "green" }, "none");
  const [view] = VIEWS;
  if (view === undefined) throw new Error("there are no views");
  const services = { views: VIEWS, moment: () => moment } as unknown as Ui["services"];
  return new Ui(services, {
    ...{ theme, view, market: "perp/1", account: "A/0" },
    display: { numbers: "grouped", timeZone: "UTC" },
  });
}
