// What the build leaves: the first frame waits for nothing that it does not need, and React is React's
// production build.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

/** The files that are loaded with one, before any of its own code has run. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, path = ""] of text.matchAll(/(?:from|import)"(\.[^"]+\.js)"/g)) {
    loadedWith(join(dirname(file), path), seen);
  }
  return seen;
}

const chunk = (name: string) => {
  const found = readdirSync(join(dist, "chunks")).find((each) => each.startsWith(`${name}-`));
  if (found === undefined) throw new Error(`no chunk ${name}`);
  return join(dist, "chunks", found);
};

/** Words that only these packages have. */
const MARKS = { zod: "ZodError", ws: "Sec-WebSocket-Key", undici: "UND_ERR" };

describe("the bundle", () => {
  test("loads neither schemas nor sockets before the first frame", () => {
    const files = new Set([
      ...loadedWith(join(dist, "monitor.js")),
      ...loadedWith(chunk("dashboard")),
    ]);
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      for (const [name, mark] of Object.entries(MARKS)) {
        expect(text.includes(mark), `${name} in ${file}`).toBe(false);
      }
    }
    expect(files.size).toBeGreaterThan(1);
  });

  test("has the schemas and the sockets in what is loaded afterwards", () => {
    const text = [...loadedWith(chunk("live-market"))]
      .map((file) => readFileSync(file, "utf8"))
      .join("");
    expect(text).toContain(MARKS.zod);
    expect(text).toContain(MARKS.ws);
  });

  test("holds React's production build, which does not measure and does not leak", () => {
    for (const file of loadedWith(chunk("dashboard"))) {
      expect(readFileSync(file, "utf8")).not.toContain("performance.measure");
    }
  });
});
