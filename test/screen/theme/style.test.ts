import { describe, expect, test } from "vitest";
import { parseStyle } from "../../../src/screen/theme/theme.ts";
import { parseColor } from "../../../src/terminal/cells/color.ts";

describe("a look in words", () => {
  test("is attributes, roles and two colours", () => {
    expect(parseStyle("")).toEqual({ style: {} });
    expect(parseStyle("bold red")).toEqual({ style: { bold: true, color: parseColor("red") } });
    expect(parseStyle("#fa0 on 17")).toEqual({
      style: { color: parseColor("#ffaa00"), backgroundColor: 17 },
    });
    expect(parseStyle("dim rise", { rise: { color: 2 } })).toEqual({
      style: { dim: true, color: 2 },
    });
  });

  test("is two where sixteen colours need one of their own", () => {
    const look = "#fa0 on #202020 / bold yellow";
    expect(parseStyle(look)).toEqual(parseStyle("#fa0 on #202020"));
    expect(parseStyle(look, {}, "ansi256")).toEqual(parseStyle("#fa0 on #202020"));
    expect(parseStyle(look, {}, "ansi16")).toEqual(parseStyle("bold yellow"));
    expect(parseStyle("#fa0", {}, "ansi16")).toEqual(parseStyle("#fa0"));
    for (const depth of ["truecolor", "ansi16"] as const) {
      expect(parseStyle("red / blod", {}, depth)).toEqual({ unknown: "blod" });
      expect(parseStyle("red / blue / green", {}, depth)).toEqual({ unknown: "/" });
    }
  });

  test.each(["blod", "#12345", "red on", "on on", "256", "red on bold", "rgb(1,2,3)"])(
    "%j names a word that means nothing",
    (text) => {
      expect(parseStyle(text)).toHaveProperty("unknown");
    },
  );
});
