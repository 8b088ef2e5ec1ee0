// Keys: what they change is drawn at once, and raw mode does not flicker.
import { Text, useInput } from "ink";
import { useEffect, useState } from "react";
import { describe, expect, test } from "vitest";
import type { Surface } from "../../../src/terminal/cells/surface.ts";
import { Canvas, useScreen } from "../../../src/terminal/screen/Canvas.tsx";
import { ChangingText } from "../../support/terminal/changing-text.ts";
import { mountApp, reactIsIdle } from "../../support/terminal/mounted-app.ts";

function Counter() {
  const [count, setCount] = useState(0);
  useInput((input) => {
    if (input === "+") setCount((last) => last + 1);
  });
  return <Text>count {count}</Text>;
}

/** Shows in a canvas what was typed last. */
function TypedText({ text }: { readonly text: ChangingText }) {
  useInput((input) => text.set(input));
  return <Canvas paint={text.paint} source={text.source} height={1} />;
}

function Keys({ onText }: { readonly onText: (text: string) => void }) {
  useInput(onText);
  return null;
}

/** Reads keys until the terminal is resized. */
function Views() {
  const [hasCounter, setHasCounter] = useState(true);
  const screen = useScreen();
  useEffect(() => screen.onResize(() => setHasCounter(false)), [screen]);
  return hasCounter ? <Counter /> : <Text>no keys</Text>;
}

describe("keys", () => {
  test("what a key changes is drawn in the next turns, not in the next period", async () => {
    const app = mountApp(<Counter />);
    await app.shown();
    app.clock.advance(1);
    const before = app.mounted.screen.statistics.frames;
    app.stdin.type("+");
    await reactIsIdle();
    app.clock.advance(0);
    expect(app.mounted.screen.statistics.frames).toBe(before + 1);
    expect((await app.shown()).text()[0]).toBe("count 1");
  });

  test("a canvas that a key changes is drawn at once as well", async () => {
    const value = new ChangingText("old");
    const app = mountApp(<TypedText text={value} />);
    await app.settle();
    value.set("other");
    app.clock.advance(17);
    const before = app.mounted.screen.statistics.frames;
    app.stdin.type("new");
    app.clock.advance(0);
    expect(app.mounted.screen.statistics.frames).toBe(before + 1);
    expect((await app.shown()).text()[0]).toBe("new");
  });

  test("what data changes waits for its frame, which comes no earlier and no later for a key", async () => {
    const [typed, data] = [new ChangingText("-"), new ChangingText("1")];
    const app = mountApp(
      <>
        <TypedText text={typed} />
        <Canvas paint={data.paint} source={data.source} height={1} />
      </>,
    );
    const seen = async () => {
      await screen.write(app.writer.take());
      return screen.text().slice(0, 2);
    };
    const screen = await app.shown();
    app.clock.advance(1000);
    data.set("2");
    app.clock.advance(0);
    data.set("3");
    app.clock.advance(10);
    app.stdin.type("a");
    app.clock.advance(0);
    expect(await seen()).toEqual(["a", "2"]);
    app.clock.advance(4);
    app.stdin.type("b");
    app.clock.advance(2);
    expect(await seen()).toEqual(["b", "2"]);
    app.clock.advance(1);
    expect(await seen()).toEqual(["b", "3"]);
  });

  test.each(["what a key", "what data"])(
    "%s changes, and what that is found to change while it is painted, is one frame",
    async (what) => {
      const [typed, sum] = [new ChangingText("-"), new ChangingText("sum of -")];
      const paint = (surface: Surface) => {
        typed.paint(surface);
        if (sum.text !== `sum of ${typed.text}`) sum.set(`sum of ${typed.text}`);
      };
      const app = mountApp(
        <>
          <Keys onText={(text) => typed.set(text)} />
          <Canvas paint={paint} source={typed.source} height={1} />
          <Canvas paint={sum.paint} source={sum.source} height={1} />
        </>,
      );
      const screen = await app.shown();
      app.clock.advance(1000);
      if (what === "what a key") app.stdin.type("a");
      else typed.set("a");
      app.clock.advance(0);
      await screen.write(app.writer.take());
      expect(screen.text().slice(0, 2)).toEqual(["a", "sum of a"]);
    },
  );

  test("the terminal stays in raw mode while views that read keys come and go", async () => {
    const app = mountApp(<Views />);
    await app.settle();
    app.stdout.resize(30, 5);
    expect((await app.shown()).text()[0]).toBe("no keys");
    expect(app.stdin.rawModes).toEqual([true]);
  });

  test("an app without a keyboard is shown all the same", async () => {
    const app = mountApp(<Text>no terminal for input</Text>, { isTTY: false });
    expect((await app.shown()).text()[0]).toBe("no terminal for input");
    expect(app.stdin.rawModes).toEqual([]);
  });
});
