// Holds our painter to Ink: what Ink's own output shows in a terminal, our cells show too, with every attribute. For the
// properties that screens use.
import { EventEmitter } from "node:events";
import chalk from "chalk";
import { Box, render, Text } from "ink";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { HeadlessTerminal } from "../../support/terminal/headless-terminal.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

// Ink's styles are chalk's, which would look at the environment of the test.
chalk.level = 3;

const COLUMNS = 40;
const ROWS = 12;
const LOREM = "The quick brown fox jumps over the lazy dog and runs away";
const FILLED = Array.from({ length: 8 }, (_, y) => `row ${y} ${"x".repeat(30)}`).join("\n");

const three = (
  <>
    <Text color="red">one</Text>
    <Text color="green">two two</Text>
    <Text color="blue">three</Text>
  </>
);

const texts: Readonly<Record<string, ReactNode>> = {
  "two lines, and an empty one between": <Text>{"hello\n\nworld"}</Text>,
  "no text": <Text>{""}</Text>,
  "a color": <Text color="red">a b</Text>,
  "an exact color": <Text color="#12ab9f">a b</Text>,
  everything: (
    <Text bold dimColor italic underline strikethrough inverse color="red" backgroundColor="#123">
      a b
    </Text>
  ),
  "nested attributes": (
    <Text bold>
      a{" "}
      <Text underline>
        b <Text italic>c</Text>
      </Text>{" "}
      d
    </Text>
  ),
  "wide characters": <Text color="red">価格 上昇 ok</Text>,
  "wide characters that wrap": (
    <Box width={7}>
      <Text>価格上昇価格上昇</Text>
    </Box>
  ),
  "box drawing and braille": <Text>{"┌─┐ ⣿⡇ ▁▂▃ ▲▼ → €"}</Text>,
  "styles given as sequences": <Text>{"a\u001b[31;1mb\u001b[0mc\u001b[48;5;20md\u001b[49me"}</Text>,
  "a wrapped text": (
    <Box width={16}>
      <Text color="green">{LOREM}</Text>
    </Box>
  ),
  "a text that is cut": (
    <Box width={16}>
      <Text wrap="truncate" color="green">
        {LOREM}
      </Text>
    </Box>
  ),
  "wrap of a long word": (
    <Box width={9}>
      <Text>{`ab ${"x".repeat(25)} cd`}</Text>
    </Box>
  ),
  "one column": (
    <Box width={1}>
      <Text wrap="truncate">abc</Text>
    </Box>
  ),
};

const boxes: Readonly<Record<string, ReactNode>> = {
  "a row": <Box>{three}</Box>,
  "a column": <Box flexDirection="column">{three}</Box>,
  "a centered box": (
    <Box justifyContent="center" width={38} height={5}>
      <Box alignSelf="flex-start" borderStyle="round">
        <Text>a</Text>
      </Box>
    </Box>
  ),
  "a box that is not displayed": (
    <Box>
      <Box display="none">
        <Text>hidden</Text>
      </Box>
      <Text>shown</Text>
    </Box>
  ),
  "an absolute position over others": (
    <Box width={20} height={5}>
      <Text>{FILLED}</Text>
      <Box position="absolute" marginLeft={3} marginTop={1} borderStyle="round">
        <Text>over</Text>
      </Box>
    </Box>
  ),
  "a border in a color": <Box borderStyle="round" borderColor="#fa0" width={6} height={3} />,
  "a border with no room inside": <Box borderStyle="single" width={2} height={2} />,
};

const cuts: Readonly<Record<string, ReactNode>> = {
  "a box that hides what leaves it": (
    <Box overflow="hidden" width={12} height={4} borderStyle="single">
      <Box flexShrink={0} width={20}>
        <Text>{FILLED}</Text>
      </Box>
    </Box>
  ),
  "a box that does not": (
    <Box width={12} height={4} borderStyle="single">
      <Box flexShrink={0} width={20}>
        <Text>{FILLED}</Text>
      </Box>
    </Box>
  ),
};

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

test.each(Object.entries({ ...texts, ...boxes, ...cuts }))(
  "shows what Ink's own output shows %s",
  async (_, app) => {
    const ink = await shownByInk(app);
    const { shown, mounted } = mountApp(app, { columns: COLUMNS, rows: ROWS });
    const ours = await shown();
    mounted.unmount();
    expect(ours.text()).toEqual(ink.text());
    expect(ours.cells()).toEqual(ink.cells());
  },
);
