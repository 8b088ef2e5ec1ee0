// React draws where panes go; what changes inside of them costs no render.
import { Profiler } from "react";
import { expect, test } from "vitest";
import { App } from "../../src/screen/App.tsx";
import { createTheme } from "../../src/screen/theme/theme.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { openKeyScene } from "../support/key-scene.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { mountApp } from "../support/terminal/mounted-app.ts";

/** Commits of React after each of the keys, and whether the screen was another one. */
async function commitsAfter(first: string, keys: readonly string[]) {
  const styles = new StyleTable();
  const { dashboard } = openKeyScene(false);
  let commits = 0;
  const mounted = mountApp(
    <Profiler id="app" onRender={() => commits++}>
      <App dashboard={dashboard} theme={createTheme(styles)} />
    </Profiler>,
    { columns: 120, rows: 40, styles },
  );
  for (const key of first) dashboard.press(key);
  await mounted.settle();
  const found: [key: string, commits: number, isDrawn: boolean][] = [];
  for (const key of keys) {
    const [before, drawn] = [commits, mounted.writer.chunks.length];
    mounted.stdin.type(key);
    await mounted.settle();
    found.push([key, commits - before, mounted.writer.chunks.length > drawn]);
  }
  return found;
}

test.each([
  ["the market", "", ["]", "[", "+", "j", "k", "\t", "c", "j", "p", "p", "i", "m", "a", "f", "f"]],
  ["the account", "A", ["j", "s", "l", "/", "b", "\r", "\t", "p", "f"]],
  ["the list of markets", "M", ["j", "s", "k", "s", "*", "p"]],
])("a key that moves no pane of %s is drawn, and React commits nothing", async (_, first, keys) => {
  const found = await commitsAfter(first, keys);
  expect(found.map(([key, commits]) => [key, commits])).toEqual(keys.map((key) => [key, 0]));
  expect(found.filter(([, , isDrawn]) => isDrawn).length).toBeGreaterThan(keys.length / 2);
});

test("what a key has not drawn is as it would be if it were", async () => {
  const { dashboard } = openKeyScene(false);
  const { stdin, writer, settle } = mountDashboard(dashboard, { columns: 120, rows: 40 });
  const bytes: Record<string, string> = {
    left: "\u001b[D",
    right: "\u001b[C",
    tab: "\t",
    home: "\u001b[H",
  };
  const market = "H left r left j right r H tab j home tab r left j home r";
  const book = "c j k c j tab f j tab f";
  const tables = "A j tab k / a \r M j s j";
  const keys = `${market} ${book} ${tables}`.split(" ").map((key) => bytes[key] ?? key);
  await settle();
  for (const key of keys) {
    stdin.type(key);
    await settle();
    writer.take();
    dashboard.notify();
    await settle();
    expect([key, writer.take().toString()]).toEqual([key, ""]);
  }
});

test("a key that moves panes is one commit", async () => {
  const keys = ["2", "1", "z", "z", ":"];
  expect(await commitsAfter("", keys)).toEqual(keys.map((key) => [key, 1, true]));
});
