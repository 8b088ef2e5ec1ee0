import { describe, expect, test } from "vitest";
import { parseLook } from "../../../src/screen/theme/style.ts";
import { parseColor } from "../../../src/terminal/cells/color.ts";

describe("a look in words", () => {
  test("is attributes, roles and two colours", () => {
    expect(parseLook("")).toEqual({ style: {} });
    expect(parseLook("bold red")).toEqual({ style: { bold: true, color: parseColor("red") } });
    expect(parseLook("#fa0 on 17")).toEqual({
      style: { color: parseColor("#ffaa00"), backgroundColor: 17 },
    });
    expect(parseLook("dim rise", { rise: { color: 2 } })).toEqual({
      style: { dim: true, color: 2 },
    });
  });

  test.each(["blod", "#12345", "red on", "on on", "256", "red on bold", "rgb(1,2,3)"])(
    "%j names a word that means nothing",
    (text) => {
      expect(parseLook(text)).toHaveProperty("unknown");
    },
  );
});
