// How a mounted app ends or pauses, and that nothing of it is left.
import { Text, Transform, useApp, useInput } from "ink";
import { describe, expect, test } from "vitest";
import { Canvas, useTerminalSize } from "../../../src/terminal/screen/Canvas.tsx";
import { ChangingText } from "../../support/terminal/changing-text.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

function Size() {
  return <Text>{`${useTerminalSize().columns} columns`}</Text>;
}

function QuitsOnKey({ cause }: { readonly cause: Error | undefined }) {
  const { exit } = useApp();
  useInput(() => exit(cause));
  return <Text>press a key</Text>;
}

describe("the end", () => {
  test("of an app leaves no timer, no listener and no frame", async () => {
    const value = new ChangingText("a");
    const app = mountApp(<Canvas paint={value.paint} source={value.source} height={1} />);
    await app.settle();
    app.writer.take();
    value.set("b");
    app.mounted.unmount();
    app.mounted.unmount();
    app.mounted.screen.redraw();
    app.mounted.screen.requestFrame();
    await app.settle();
    expect(app.writer.chunks.length).toBe(0);
    expect(app.clock.pending).toBe(0);
    expect(app.stdout.listenerCount("resize")).toBe(0);
    expect(app.stdin.listenerCount("readable")).toBe(0);
    expect(value.listeners.size).toBe(0);
    expect(app.reports).toEqual([]);
  });

  test("of an app does not draw it once more", async () => {
    let draws = 0;
    const count = (line: string) => {
      draws++;
      return line;
    };
    const app = mountApp(
      <Transform transform={count}>
        <Text>a</Text>
      </Transform>,
    );
    await app.settle();
    const before = draws;
    app.mounted.unmount();
    expect(draws).toBe(before);
  });

  test("a paint function that throws is reported once and draws nothing more", async () => {
    const cause = new Error("broken paint");
    const value = new ChangingText("a");
    const paint = () => {
      throw cause;
    };
    const app = mountApp(<Canvas paint={paint} source={value.source} height={1} />);
    await app.settle();
    value.set("b");
    await app.settle();
    expect(app.reports).toEqual([{ kind: "failure", cause }]);
  });

  test.each([
    ["without an error", undefined],
    ["with an error", new Error("over")],
  ])("an app that ends itself is reported once, %s", async (_, cause) => {
    const app = mountApp(<QuitsOnKey cause={cause} />);
    await app.shown();
    app.stdin.type("q");
    await app.settle();
    expect(app.reports).toEqual([{ kind: "exit", cause }]);
    expect(app.clock.pending).toBe(0);
  });
});

test("a pause writes nothing until the terminal is ours again, and then draws everything in its new size", async () => {
  const value = new ChangingText("before");
  const app = mountApp(
    <>
      <Canvas paint={value.paint} source={value.source} height={1} />
      <Size />
    </>,
  );
  const terminal = await app.shown();
  app.mounted.screen.pause();
  value.set("during");
  app.stdout.columns = 30;
  app.stdin.type("x");
  await app.settle();
  expect(app.writer.chunks.length).toBe(0);
  expect(app.clock.pending).toBe(0);
  terminal.resize(30, 10);
  await terminal.write("\u001b[2J\u001b[Hleft by the shell");
  app.mounted.screen.resume();
  expect((await app.shown()).text().slice(0, 2)).toEqual(["during", "30 columns"]);
});
