// Holds our painter to Ink: what Ink's own output shows in a terminal, our cells show too, with every attribute.
import { EventEmitter } from "node:events";
import chalk from "chalk";
import { Box, render } from "ink";
import type { ReactNode } from "react";
import { describe, expect, test } from "vitest";
import { HeadlessTerminal } from "../../support/terminal/headless-terminal.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";
import { borderCases } from "./border-cases.tsx";
import { boxCases } from "./box-cases.tsx";
import { overflowCases } from "./overflow-cases.tsx";
import { textCases } from "./text-cases.tsx";

// Ink's looks are chalk's, which would look at the environment of the test.
chalk.level = 3;

const COLUMNS = 40;
const ROWS = 12;

async function shownByInk(app: ReactNode): Promise<HeadlessTerminal> {
  let output = "";
  const stdout = Object.assign(new EventEmitter(), {
    columns: COLUMNS,
    rows: ROWS + 1,
    isTTY: false,
    writable: false,
    write(text: string) {
      output = text;
      return true;
    },
  });
  const { unmount } = render(
    <Box width={COLUMNS} height={ROWS} flexDirection="column">
      {app}
    </Box>,
    { stdout: stdout as unknown as NodeJS.WriteStream, debug: true, patchConsole: false },
  );
  unmount();
  const terminal = new HeadlessTerminal(COLUMNS, ROWS, { convertEol: true });
  await terminal.write(output);
  return terminal;
}

describe("shows what Ink's own output shows", () => {
  const cases = { ...textCases, ...boxCases, ...borderCases, ...overflowCases };
  test.each(Object.entries(cases))("%s", async (_, app) => {
    const ink = await shownByInk(app);
    const { shown, mounted } = mountApp(app, { columns: COLUMNS, rows: ROWS });
    const ours = await shown();
    mounted.unmount();
    expect(ours.text()).toEqual(ink.text());
    expect(ours.cells()).toEqual(ink.cells());
  });
});
