// The command `layout`: built-in pane arrangements, and those named by the user.
import { getMembers } from "../../wire/json.ts";
import type { Dashboard } from "../dashboard.ts";
import { type Action, KEYS } from "../keys.ts";
import { marketView } from "../views/market/market.tsx";
import { type Arrangement, PRESETS, readArrangement } from "../views/market/panes.ts";
import type { PaletteCommand, Plan } from "./commands.ts";

const BUILT_IN: ReadonlyMap<string, Action> = new Map<string, Action>([
  ...Object.entries(PRESETS).map(([action, { word }]) => [word, action as Action] as const),
  ["usual", "layoutReset"],
]);

export type NamedLayouts = ReadonlyMap<string, Arrangement>;

const MAX_LAYOUTS = 50;
const NAME = /^\p{L}[\p{L}\p{N}_-]{0,23}$/u;
const WORDS = ["save", "delete"];

/** Reads a file that the user may have edited: invalid layouts are dropped. */
export function readLayouts(persisted: unknown): NamedLayouts {
  const layouts = Object.entries(getMembers(persisted)).flatMap(([name, value]) => {
    const arrangement = nameFault(name) === undefined ? readArrangement(value) : undefined;
    return arrangement === undefined ? [] : [[name, arrangement] as const];
  });
  return new Map(layouts.slice(0, MAX_LAYOUTS));
}

function nameFault(name: string): string | undefined {
  if (BUILT_IN.has(name)) return `${name} is a layout of the program: take another name`;
  if (WORDS.includes(name)) return `${name} is a word of the command: take another name`;
  if (NAME.test(name)) return undefined;
  return "a name has up to 24 letters, digits, - and _, and begins with a letter";
}

export const layoutCommand: PaletteCommand = {
  name: "layout",
  usage: "<layout> | save <name> | delete <name>",
  description: "panes of the market",
  complete: ({ layouts }) => [
    ...BUILT_IN.keys(),
    ...layouts.keys(),
    "save ",
    ...[...layouts.keys()].map((name) => `delete ${name}`),
  ],
  plan(dashboard, argument) {
    const [word = "", name, ...more] = argument.trim().split(/\s+/);
    if (!WORDS.includes(word)) return planShow(dashboard, argument.trim());
    if (name === undefined || more.length > 0) return { fault: `expected: layout ${word} <name>` };
    return word === "save" ? planSave(dashboard, name) : planDelete(dashboard, name);
  },
};

function planShow(dashboard: Dashboard, name: string): Plan {
  const { layouts } = dashboard;
  const own = layouts.get(name);
  const action = BUILT_IN.get(name);
  if (own === undefined && action === undefined) {
    const known = [...BUILT_IN.keys(), ...layouts.keys()];
    return { fault: `no such layout; there are: ${known.join(", ")}` };
  }
  return {
    description:
      KEYS.find((key) => key.action === action)?.description ?? "panes as they were saved",
    run() {
      dashboard.show(marketView);
      if (own !== undefined) dashboard.modelOf(marketView).arrange(own);
      else if (action !== undefined) dashboard.perform(action);
    },
  };
}

function planSave(dashboard: Dashboard, name: string): Plan {
  const { layouts } = dashboard;
  const fault = nameFault(name);
  if (fault !== undefined) return { fault };
  const isNew = !layouts.has(name);
  if (isNew && layouts.size >= MAX_LAYOUTS) return { fault: `there are ${MAX_LAYOUTS} layouts` };
  return {
    description: isNew
      ? `save the panes as they are as the layout ${name}`
      : `replace the layout ${name} by the panes as they are`,
    run() {
      const { arrangement } = dashboard.modelOf(marketView).choices;
      dashboard.setLayouts(new Map([...layouts, [name, arrangement]]));
      dashboard.showSet(`layout ${name} saved`);
    },
  };
}

function planDelete(dashboard: Dashboard, name: string): Plan {
  const { layouts } = dashboard;
  if (BUILT_IN.has(name)) return { fault: `${name} is a layout of the program: it stays` };
  if (!layouts.has(name)) {
    const known = [...layouts.keys()].join(", ") || "none";
    return { fault: `no such layout of yours; there are: ${known}` };
  }
  return {
    description: `delete the layout ${name}`,
    run: () => dashboard.setLayouts(new Map([...layouts].filter(([each]) => each !== name))),
  };
}
