// A setting of the screen in the config file: one value changes, and nothing else.
import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/cli/config/config-file.ts";
import { writeSetting } from "../../../src/cli/config/write-setting.ts";
import { folderOfTest } from "../../support/temporary-folder.ts";

/** The file as it is afterwards. @param text undefined: there is none */
async function writeTo(text: string | undefined, key: string, value: string) {
  const path = join(folderOfTest(), "config.toml");
  if (text !== undefined) writeFileSync(path, text, { mode: 0o640 });
  await writeSetting({ options: { config: path }, env: {} }, key, value);
  return { text: readFileSync(path, "utf8"), mode: statSync(path).mode & 0o777 };
}

describe("a setting", () => {
  test.each([
    ['theme = "dark"  # mine\nfps = 30\n', 'theme = "light"  # mine\nfps = 30\n'],
    [
      "\tfps = 30\r\n theme='dark'\r\n[aliases]\r\n",
      '\tfps = 30\r\n theme="light"\r\n[aliases]\r\n',
    ],
    [
      '# none yet\n[aliases]\ntheme = "perp/1"\n',
      'theme = "light"\n# none yet\n[aliases]\ntheme = "perp/1"\n',
    ],
    ['watchlist = [\n "perp/1",\n]\n', 'theme = "light"\nwatchlist = [\n "perp/1",\n]\n'],
    ["", 'theme = "light"\n'],
  ])("in %j leaves all else as it was", async (before, after) => {
    const { text, mode } = await writeTo(before, "theme", "light");
    expect(text).toBe(after);
    expect(mode).toBe(0o640);
    expect(parseConfig(text, "it").theme).toBe("light");
  });

  test("without a file begins one that is the owner's alone, with its folder", async () => {
    const config = join(folderOfTest(), "new", "monitor", "config.toml");
    await writeSetting({ options: { config }, env: {} }, "time_zone", "Europe/Berlin");
    expect(readFileSync(config, "utf8")).toBe('time_zone = "Europe/Berlin"\n');
    expect(statSync(config).mode & 0o777).toBe(0o600);
  });

  test("goes to where a link leads, and the link stays", async () => {
    const folder = folderOfTest();
    mkdirSync(join(folder, "dotfiles"));
    const [link, target] = [join(folder, "config.toml"), join(folder, "dotfiles", "monitor.toml")];
    writeFileSync(target, "fps = 5\n");
    symlinkSync(target, link);
    await writeSetting({ options: { config: link }, env: {} }, "rising", "red");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe('rising = "red"\nfps = 5\n');
  });

  test.each([
    ['fps = "many"\n', "only its owner"],
    ['theme = """\ndark"""\n', "only its owner"],
  ])("is not written where the file is %j", async (text, words) => {
    await expect(writeTo(text, "theme", "light")).rejects.toThrow(words);
  });

  test("is not written to a device", async () => {
    const context = { options: { config: "/dev/null" }, env: {} };
    await expect(writeSetting(context, "theme", "light")).rejects.toThrow("/dev/null is no file");
  });
});
