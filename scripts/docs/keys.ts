// The keys of every view, read from the views' own rows.
import { createDialect } from "../../src/dialect/dialect.ts";
import { formatKey } from "../../src/screen/key-names.ts";
import { GLOBAL_KEYS } from "../../src/screen/keys.ts";
import { panesOf } from "../../src/screen/layout.ts";
import type { Key } from "../../src/screen/pane.ts";
import { createTheme } from "../../src/screen/theme.ts";
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
  const views = VIEWS.map(({ key, title }) => ({ key, says: title, run: () => {} }));
  return [
    groupOf("Everywhere", GLOBAL_KEYS),
    groupOf("Views", views),
    ...VIEWS.map((view) => {
      ui.view = view;
      const panes = new Set(
        PRESETS.flatMap((preset) => {
          view.keys?.find(({ key }) => key === preset)?.run(ui);
          return panesOf(view.layout(ui));
        }),
      );
      const keys = [...(view.keys ?? []), ...[...panes].flatMap((pane) => pane.keys ?? [])];
      return groupOf(view.title, [...new Set(keys)]);
    }),
  ].filter(({ rows }) => rows.length > 0);
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
