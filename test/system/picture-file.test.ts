import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writePicture } from "../../src/system/picture-file.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

test("a picture takes the place of nothing, of an empty file and of a picture, and leaves nothing beside it", () => {
  const folder = folderOfTest();
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
  const folder = folderOfTest();
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
