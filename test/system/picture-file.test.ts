import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writePicture } from "../../src/system/picture-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "monitor-picture-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a picture takes the place of nothing, of an empty file and of a picture, and leaves nothing beside it", () => {
  const file = join(folder, "screen.svg");
  for (const text of ["<svg>1</svg>", "<svg>2</svg>"]) {
    writePicture(file, text);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
  writeFileSync(file, "");
  writePicture(file, "<svg/>");
  expect(readdirSync(folder)).toEqual(["screen.svg"]);
});

test("anything else stays as it is, and the message names it", () => {
  const file = join(folder, "notes.txt");
  writeFileSync(file, "mine");
  expect(() => writePicture(file, "<svg/>")).toThrow(`${file} is there, and is no picture`);
  expect(() => writePicture(folder, "<svg/>")).toThrow("a folder");
  expect(() => writePicture(join(folder, "no", "such.svg"), "<svg/>")).toThrow(
    /^cannot write .*such\.svg: no such folder$/,
  );
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect(readdirSync(folder)).toEqual(["notes.txt"]);
});
