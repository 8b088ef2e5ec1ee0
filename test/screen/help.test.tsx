import { render } from "ink-testing-library";
import { describe, expect, test } from "vitest";
import { Help } from "../../src/screen/Help.tsx";
import { bindingsIn } from "../../src/screen/keymap.ts";
import type { KeyContext } from "../../src/screen/keys.ts";

const contexts: readonly KeyContext[] = ["market", "panes", "scroll"];
const keys = bindingsIn(contexts);

const show = (rows: number, scroll = 0, columns = 100, shown = contexts) => {
  const { lastFrame, unmount } = render(
    <Help columns={columns} rows={rows} scroll={scroll} bindings={bindingsIn(shown)} />,
  );
  const frame = lastFrame() ?? "";
  unmount();
  return frame;
};

describe("help", () => {
  test("names every key of the view and what it does", () => {
    const frame = show(60);
    for (const { keys: names, words } of keys) {
      for (const key of names) expect(frame).toContain(key);
      expect(frame).toContain(words);
    }
  });

  test("shows what fits, and the rest when it is scrolled; never past the last key", () => {
    const first = keys[0]?.words ?? "";
    const last = keys.at(-1)?.words ?? "";
    expect(show(12)).toContain(first);
    expect(show(12)).not.toContain(last);
    expect(show(12, 999)).toContain(last);
    expect(
      show(12, 999)
        .split("\n")
        .filter((line) => line.includes("│")).length,
    ).toBe(10);
  });

  test("says how much of it is shown, where that is not all", () => {
    expect(show(12)).toContain(`1 to 8 of ${keys.length}: up, down, pageup, pagedown`);
    expect(show(12, 999)).toContain(`${keys.length - 7} to ${keys.length} of ${keys.length}: `);
    expect(show(60)).not.toContain(` of ${keys.length}`);
  });

  test.each<KeyContext[]>([
    ["market", "panes", "scroll"],
    ["account", "table", "scroll"],
    ["history", "table", "scroll"],
    ["past", "market", "panes", "scroll"],
    ["replay", "market", "panes", "scroll"],
  ])("is whole on 80 columns: %s, %s …", (...shown) => {
    expect(show(80, 0, 80, shown)).not.toContain("…");
  });

  test("keeps its columns while it is scrolled, and cuts words once where there is less room", () => {
    const starts = [0, 20, 40].map((scroll) => show(12, scroll, 60).indexOf("what it does"));
    expect(new Set(starts).size).toBe(1);
    expect(
      Math.max(
        ...show(60, 0, 50)
          .split("\n")
          .map((line) => line.split("…").length),
      ),
    ).toBe(2);
  });
});
