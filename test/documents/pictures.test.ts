// The script of the pictures still runs, and what it draws has the panes that the stored picture has.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/documents.ts";

interface Drawing {
  cellsToSvg(rows: readonly object[][], look: { background: string; title: string }): string;
}
interface List {
  readonly PICTURES: readonly { readonly name: string }[];
}

const drawing: Drawing = await import(`${ROOT}scripts/pictures/cells-svg.mjs`);
const { PICTURES }: List = await import(`${ROOT}scripts/pictures/pictures.mjs`);

/** Words that stand in a picture. */
function wordsOf(svg: string): string[] {
  return [...svg.matchAll(/>([^<]+)<\/t(?:ext|itle)>/g)].flatMap(([, text = ""]) =>
    text.split(/[^A-Za-z]+/).filter((word) => word.length > 3),
  );
}

test("every picture is stored, and nothing else", () => {
  const stored = readdirSync(`${ROOT}docs/pictures`).sort();
  expect(stored).toEqual(PICTURES.map(({ name }) => `${name}.svg`).sort());
});

test("the script draws what the stored picture shows", () => {
  const folder = mkdtempSync(join(tmpdir(), "monitor-pictures-"));
  try {
    const args = [`${ROOT}scripts/pictures.mjs`, "--to", folder, "markets"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const drawn = wordsOf(readFileSync(join(folder, "markets.svg"), "utf8"));
    const stored = wordsOf(readFileSync(`${ROOT}docs/pictures/markets.svg`, "utf8"));
    for (const word of ["Markets", "Symbol", "PERP", "USDC", "Watchlist", "quit"]) {
      expect(drawn).toContain(word);
      expect(stored).toContain(word);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("cells of one look are one text, bars are drawn, and text is escaped", () => {
  const look = { color: "#fff", background: "#000" };
  const row = [..."a<b ██▌▂ c"].map((text) => ({ text, ...look }));
  const svg = drawing.cellsToSvg([row], { background: "#000", title: "A & B" });
  expect(svg).toContain("<title>A &amp; B</title>");
  expect(svg).toContain('<text x="0" y="12" textLength="80" fill="#fff">a&lt;b      c</text>');
  expect(svg).toContain('<rect x="32" y="0" width="20" height="16" fill="#fff"/>');
  expect(svg).toContain('<rect x="56" y="12" width="8" height="4" fill="#fff"/>');
});
