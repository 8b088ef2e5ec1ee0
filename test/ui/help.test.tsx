import { render } from "ink-testing-library";
import { describe, expect, test } from "vitest";
import { Help } from "../../src/ui/Help.tsx";
import type { KeyContext } from "../../src/ui/key-contexts.ts";
import { bindingsIn } from "../../src/ui/key-lookup.ts";

const contexts: readonly KeyContext[] = ["market", "panes", "scroll"];
const keys = bindingsIn(contexts);

const show = (rows: number, scroll = 0) => {
  const { lastFrame, unmount } = render(
    <Help columns={100} rows={rows} scroll={scroll} contexts={contexts} />,
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
});
