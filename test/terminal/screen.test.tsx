// The terminal as its user sees it: an app is mounted, bytes go to a terminal without a window, and its cells are read.
import fc from "fast-check";
import { Box } from "ink";
import { useMemo } from "react";
import { expect, test } from "vitest";
import { Canvas } from "../../src/terminal/canvas.tsx";
import type { PointEvent } from "../../src/terminal/input.ts";
import { openTerminal } from "../../src/terminal/open-terminal.ts";
import type { Size } from "../../src/terminal/screen.tsx";
import type { SessionEnd } from "../../src/terminal/session.ts";
import { rgb, StyleTable } from "../../src/terminal/style.ts";
import type { Surface } from "../../src/terminal/surface.ts";
import { createDevice } from "../support/terminal/fake-device.ts";
import { HeadlessTerminal } from "../support/terminal/headless-terminal.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

type Draw = (surface: Surface) => void;

interface PaneProps {
  readonly draw: Draw;
  readonly point?: (event: PointEvent) => void;
  readonly everyMs?: number;
}

function Pane({ draw, point, everyMs = 0 }: PaneProps) {
  const drawing = useMemo(
    () => ({ draw, everyMs, ...(point && { point }) }),
    [draw, point, everyMs],
  );
  return <Canvas drawing={drawing} flexGrow={1} flexBasis={0} />;
}

/** An app of two panes side by side. */
function open(
  draw: Draw,
  {
    columns = 40,
    rows = 6,
    isAscii = false,
    point = (_: PointEvent) => {},
    right = ((surface) => surface.text(0, 0, "right")) as Draw,
  } = {},
) {
  const clock = createVirtualClock();
  const styles = new StyleTable("truecolor");
  const device = createDevice(columns, rows);
  const ends: SessionEnd[] = [];
  const keys: string[] = [];
  const terminal = openTerminal({
    clock,
    ...device.streams,
    modes: { mouse: true, hasTitle: true },
    styles,
    isAscii,
    framesPerSecond: 60,
    app: ({ columns: width, rows: height }: Size) => (
      <Box width={width} height={height}>
        <Pane draw={draw} point={point} />
        <Pane draw={right} everyMs={100} />
      </Box>
    ),
    onInput: (input) => keys.push(input.kind === "key" ? input.name : input.text),
    onEnd: (end) => ends.push(end),
  });
  return {
    ...device,
    ...{ clock, styles, terminal, ends, keys },
  };
}

async function shown(text: string, columns = 40, rows = 6): Promise<HeadlessTerminal> {
  const terminal = new HeadlessTerminal(columns, rows);
  await terminal.write(text);
  return terminal;
}

test("panes stand side by side, each from its own corner and cut at its edge", async () => {
  const { clock, written } = open((surface) => {
    surface.text(0, 0, "left, and far too long for its half");
    surface.text(18, 1, "宽字");
  });
  clock.advance(20);
  const terminal = await shown(written());
  expect(terminal.text().slice(0, 2)).toEqual([
    "left, and far too loright",
    "                  宽",
  ]);
});

test("a terminal that was asked is given back when it has answered, or does not in time", () => {
  for (const answer of [true, false]) {
    const { clock, stdin, terminal, ends } = open(() => {});
    terminal.ask("\u001b]11;?\u001b\\\u001b[c");
    clock.advance(100);
    terminal.close();
    if (answer) stdin.emit("data", "\u001b]11;rgb:0000/0000/0000\u001b\\");
    clock.advance(100);
    expect(ends).toEqual([]);
    if (answer) stdin.emit("data", "\u001b[?62;c");
    else clock.advance(1400);
    expect(ends).toEqual([{ kind: "closed" }]);
  }
});

test("one that is told twice to go does not wait, and after an answer nothing is waited for", () => {
  const twice = open(() => {});
  twice.terminal.ask("\u001b[c");
  twice.terminal.close();
  twice.terminal.close();
  expect(twice.ends.length).toBe(1);
  const { stdin, terminal, ends } = open(() => {});
  terminal.ask("\u001b[c");
  stdin.emit("data", "\u001b[?62;c");
  terminal.close();
  expect(ends.length).toBe(1);
});

test("a frame without changes writes nothing; a change writes only what differs", () => {
  let text = "1,000.00";
  const { clock, terminal, written } = open((surface) => surface.text(0, 0, text));
  clock.advance(20);
  written();
  terminal.screen.request();
  clock.advance(20);
  expect(written()).toBe("");
  text = "1,000.01";
  terminal.screen.request();
  clock.advance(20);
  expect(written().length).toBeLessThan(40);
});

test("at most sixty frames a second are drawn for data, and one at once for a key", () => {
  let draws = 0;
  const { clock, terminal, stdin } = open(() => {
    draws++;
  });
  clock.advance(100);
  draws = 0;
  for (let ms = 0; ms < 1000; ms++) {
    terminal.screen.request();
    clock.advance(1);
  }
  expect(draws).toBeGreaterThan(55);
  expect(draws).toBeLessThan(64);
  draws = 0;
  stdin.emit("data", "x");
  clock.advance(0);
  expect(draws).toBeGreaterThan(0);
});

test("a pane that draws seldom stays as it is in between, and shows what came last and what a key does", async () => {
  let [count, draws] = [0, 0];
  const right: Draw = (surface) => {
    draws++;
    surface.text(0, 0, `${count}宽`);
  };
  const { clock, terminal, stdin, written } = open((surface) => surface.text(0, 0, `${count}`), {
    right,
  });
  clock.advance(200);
  draws = 0;
  for (let ms = 0; ms < 1000; ms += 10) {
    count++;
    terminal.screen.request();
    clock.advance(10);
  }
  expect(draws).toBeGreaterThan(8);
  expect(draws).toBeLessThan(12);
  const text = written();
  clock.advance(100);
  const all = await shown(text + written());
  expect(all.text()[0]).toBe("100                 100宽");
  count++;
  stdin.emit("data", "x");
  clock.advance(0);
  await all.write(written());
  expect(all.text()[0]).toBe("101                 101宽");
});

test("a terminal that takes nothing gets one newer frame when it takes again", () => {
  let text = "a";
  const { clock, terminal, written, refuse, accept } = open((surface) => surface.text(0, 0, text));
  clock.advance(20);
  written();
  refuse();
  for (const next of ["b", "c", "d"]) {
    text = next;
    terminal.screen.request();
    clock.advance(20);
  }
  expect(written()).toBe("");
  accept();
  clock.advance(20);
  const after = written();
  expect(after).toContain("b");
  expect(after).toContain("d");
  expect(after).not.toContain("c");
});

test("the mouse goes to the pane under it, in its own positions", () => {
  const points: PointEvent[] = [];
  const { clock, stdin } = open(() => {}, { point: (event) => points.push(event) });
  clock.advance(20);
  stdin.emit("data", "\u001b[<0;3;2M\u001b[<64;5;1M\u001b[<0;30;2M");
  expect(points).toEqual([
    { action: "press", x: 2, y: 1 },
    { action: "wheel-up", x: 4, y: 0 },
  ]);
});

test("sizes of 0, nonsense and 400x200 are drawn at a sane size", () => {
  let size = [0, 0];
  const { clock, stdout } = open((surface) => {
    size = [surface.width, surface.height];
  });
  for (const [columns, rows] of [
    [0, 0],
    [Number.NaN, -3],
    [100_000, 100_000],
    [400, 200],
    [1, 1],
  ]) {
    Object.assign(stdout, { columns, rows });
    stdout.emit("resize");
    clock.advance(20);
    expect(size[0]).toBeGreaterThanOrEqual(0);
    expect(size[0]).toBeLessThanOrEqual(500);
  }
});

const END = {
  closed: "closed",
  SIGTERM: "signal",
  SIGHUP: "signal",
  error: "failed",
  lost: "lost",
};

test.for(Object.entries(END))("the terminal is restored when the end is %s", ([how, kind]) => {
  const { clock, terminal, process, stdin, written, ends } = open(() => {});
  clock.advance(20);
  written();
  if (how === "closed") terminal.close();
  else if (how === "error") process.emit("uncaughtException", new Error("no"));
  else if (how === "lost") stdin.emit("end");
  else process.emit(how);
  expect(written()).toMatch(/\?25h.*\?1049l$/s);
  expect(stdin.isRaw).toBe(false);
  expect(ends).toMatchObject([{ kind }]);
  terminal.screen.request();
  clock.advance(1000);
  expect(written()).toBe("");
});

test("an error in a pane ends the program with a restored terminal", () => {
  let isBroken = false;
  const { clock, terminal, ends, written } = open(() => {
    if (isBroken) throw new Error("no such row");
  });
  clock.advance(20);
  isBroken = true;
  terminal.screen.request();
  clock.advance(20);
  expect(ends).toMatchObject([{ kind: "failed" }]);
  expect(written()).toContain("?1049l");
});

test("after a stop the terminal is taken again, and all of it drawn", () => {
  const { clock, terminal, written, stdin } = open((surface) => surface.text(0, 0, "here"));
  clock.advance(20);
  written();
  terminal.suspend();
  expect(stdin.isRaw).toBe(true);
  clock.advance(20);
  expect(written()).toMatch(/\?1049l.*\?1049h.*here/s);
});

/** A space has no colour of its own. */
function looks(terminal: HeadlessTerminal): readonly string[] {
  return terminal
    .cells()
    .flat()
    .map((cell) => cell.replace(/^ \|[^|]*/, " "));
}

const character = fc.oneof(
  fc.constantFrom(..."aB3 .─█⣿é宽漢👍🏽👨‍👩‍👧é\u202e\u0007\u001b"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
);
const drawing = fc.array(
  fc.record({
    x: fc.integer({ min: -5, max: 45 }),
    y: fc.integer({ min: -1, max: 6 }),
    text: fc.array(character, { maxLength: 12 }).map((each) => each.join("")),
    color: fc.constantFrom("ff0000", "00ff00"),
    shade: fc.boolean(),
  }),
  { maxLength: 12 },
);

test("whatever is drawn, a frame of differences shows what a whole frame shows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawing, { minLength: 2, maxLength: 4 }), async (frames) => {
      let now: (typeof frames)[number] = [];
      const paint = (styles: StyleTable) => (surface: Surface) => {
        for (const { x, y, text, color, shade } of now) {
          surface.text(x, y, text, styles.id({ color: rgb(color) }));
          if (shade) surface.shade(x, y, 3, rgb("000044"));
        }
      };
      const { clock, terminal, written, styles } = open((surface) => draw(surface));
      const draw = paint(styles);
      let stepwise = "";
      for (const frame of frames) {
        now = frame;
        terminal.screen.request();
        clock.advance(20);
        stepwise += written();
      }
      terminal.screen.redraw();
      clock.advance(20);
      const whole = written();
      const [a, b] = [await shown(stepwise), await shown(whole)];
      expect(looks(a)).toEqual(looks(b));
      expect(stepwise).not.toContain("\u202e");
      expect(stepwise).not.toContain("\u0007");
      terminal.close();
    }),
    { seed: 20261127, numRuns: 60 },
  );
});
