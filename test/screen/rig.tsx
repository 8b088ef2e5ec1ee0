// The interface on a terminal without a window, with views of the test's own and a clock moved by hand.
import { onTestFinished } from "vitest";
import type { Alert } from "../../src/alerts/alert.ts";
import type { Listings } from "../../src/live/listings.ts";
import { App } from "../../src/screen/app.tsx";
import { handleInput } from "../../src/screen/keys.ts";
import type { View } from "../../src/screen/pane.ts";
import { createTheme, type ThemeChoice } from "../../src/screen/theme.ts";
import { type LogLine, type MenuItem, Ui } from "../../src/screen/ui.ts";
import type { Moment } from "../../src/state/moment.ts";
import { openTerminal } from "../../src/terminal/open-terminal.ts";
import type { ColorDepth } from "../../src/terminal/style.ts";
import type { Clock } from "../../src/units/clock.ts";
import { createDevice } from "../support/terminal/fake-device.ts";
import { HeadlessTerminal } from "../support/terminal/headless-terminal.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

export interface RigOptions {
  readonly views: readonly View[];
  readonly store: object;
  readonly columns?: number;
  readonly rows?: number;
  readonly menuItems?: readonly MenuItem[];
  readonly services?: Partial<Ui["services"]>;
  /** `ADDRESS/ID`. */
  readonly account?: string;
  readonly alerts?: readonly Alert[];
  readonly log?: readonly LogLine[];
  readonly theme?: Partial<ThemeChoice> & { readonly depth?: ColorDepth };
  readonly isAscii?: boolean;
  readonly openListings?: (clock: Clock) => Listings;
}

/** Open to the end of the test. */
export function openRig(options: RigOptions) {
  const rig = createRig(options);
  onTestFinished(rig.terminal.close);
  return rig;
}

export function createRig(options: RigOptions) {
  const { views, store, columns = 80, rows = 16, menuItems = [], services = {}, account } = options;
  const { alerts = [], log = [], isAscii = false } = options;
  const { depth = "truecolor", ...look } = options.theme ?? {};
  const clock = createVirtualClock();
  const copied: string[] = [];
  const quits: number[] = [];
  const moment = (): Moment => ({
    store: store as Moment["store"],
    nowMs: clock.now(),
    wallMs: clock.wall(),
  });
  const theme = createTheme({ name: "dark", colours: "usual", rising: "green", ...look }, depth);
  const [view] = views;
  if (view === undefined) throw new Error("no view");
  const ui = new Ui(
    {
      views,
      moment,
      freeze: () => structuredClone(moment()),
      menuItems: () => menuItems,
      settings: () => [],
      status: () => ({ text: "● live", tone: "gain" }),
      alerts: { all: () => alerts, set: () => undefined, remove: () => {} },
      listings: options.openListings?.(clock),
      address: "ws://127.0.0.1",
      log: () => log,
      timeZone: undefined,
      save: () => {},
      copy: (text) => copied.push(text),
      redraw: () => {},
      suspend: () => {},
      quit: () => quits.push(clock.now()),
      ...services,
    },
    {
      theme,
      display: { numbers: "grouped", timeZone: "UTC" },
      view,
      market: "perp/1",
      account,
    },
  );
  ui.addresses = account === undefined ? [] : [account.split("/")[0] ?? ""];
  const device = createDevice(columns, rows);
  const terminal = openTerminal({
    clock,
    ...device.streams,
    modes: { mouse: true, hasTitle: false },
    styles: theme.styles,
    isAscii,
    framesPerSecond: 60,
    app: (size) => <App ui={ui} size={size} />,
    onInput: (input) => input.kind !== "reply" && handleInput(ui, input),
    onEnd: (end) => {
      if (end.kind === "failed") throw end.error;
    },
  });
  const shown = new HeadlessTerminal(columns, rows);
  return {
    ...{ ui, clock, copied, quits, terminal },
    /** Types keys, one after the other. */
    type(...keys: readonly string[]) {
      for (const key of keys) device.stdin.emit("data", key);
      clock.advance(200);
    },
    async screen(): Promise<string> {
      terminal.screen.request(true);
      clock.advance(50);
      await shown.write(device.written());
      return shown.text().join("\n");
    },
    /** Of what `screen` has read. */
    cells: () => shown.cells().flat(),
  };
}
