// The script of the pictures still runs, and what it draws has the panes that the stored picture has.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { ROOT } from "../support/documents.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

interface List {
  readonly PICTURES: readonly { readonly name: string }[];
}

interface Frames {
  readonly WholeFrames: new (
    terminal: xterm.Terminal,
  ) => {
    readonly text: string;
    write(data: string): void;
    resize(columns: number, rows: number): void;
    end(): void;
    when<Found>(patterns: readonly RegExp[], read: () => Found): Promise<Found>;
  };
}

const { WholeFrames }: Frames = await import(`${ROOT}scripts/pictures/whole-frames.mjs`);
const { PICTURES }: List = await import(`${ROOT}scripts/pictures/pictures.mjs`);

/** Words that stand in a picture. */
function textOf(svg: string): string[] {
  return [...svg.matchAll(/>([^<]+)<\/t(?:ext|itle)>/g)].flatMap(([, text = ""]) =>
    text.split(/[^A-Za-z]+/).filter((word) => word.length > 3),
  );
}

test("every picture is stored, and nothing else", () => {
  const stored = readdirSync(`${ROOT}docs/pictures`).sort();
  expect(stored).toEqual([...PICTURES.map(({ name }) => `${name}.svg`), "xterm.png"].sort());
});

test("the script draws what the stored picture shows", () => {
  const folder = folderOfTest();
  const args = [`${ROOT}scripts/pictures.mjs`, "--to", folder, "markets"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const drawn = textOf(readFileSync(join(folder, "markets.svg"), "utf8"));
  const stored = textOf(readFileSync(`${ROOT}docs/pictures/markets.svg`, "utf8"));
  for (const word of ["Markets", "Market", "PERP", "USDC", "quit"]) {
    expect(drawn).toContain(word);
    expect(stored).toContain(word);
  }
});

test("a picture is of a whole frame, never of a half-painted screen or one of another size", async () => {
  const terminal = new xterm.Terminal({ cols: 20, rows: 3, allowProposedApi: true });
  const frames = new WholeFrames(terminal);
  const seen: string[] = [];
  const look = (pattern: RegExp) =>
    frames.when([pattern], () => frames.text).then((text) => seen.push(text));
  const write = (data: string) =>
    new Promise<void>((resolve) => {
      frames.write(data);
      terminal.write("", resolve);
    });
  const waiting = look(/price/);
  await write("\u001b[?2026h\u001b[2Jprice");
  expect(seen).toEqual([]);
  // The next frame begins in the same write.
  await write(" 7\u001b[?2026l");
  await write("\u001b[?2026h\u001b[Hhalf of");
  await waiting;
  expect(seen).toEqual(["price 7\n\n"]);

  await write("\u001b[?2026l");
  frames.resize(20, 2);
  const resized = look(/of/);
  await write("\u001b[?2026h\u001b[Hof the size before\u001b[?2026l");
  expect(seen).toHaveLength(1);
  await write("\u001b[?2026h\u001b[2J\u001b[Hof this size\u001b[?2026l");
  await resized;
  expect(seen[1]).toBe("of this size\n");

  const never = look(/never/);
  frames.end();
  await expect(never).rejects.toThrow("the program has ended");
});
