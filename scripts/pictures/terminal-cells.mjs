// Runs the built program on a pseudo-terminal, and reads its screen as cells with colours.
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { root } from "../setup.mjs";

/** Of the terminal: default foreground, default background, the sixteen ANSI colours, and the steps of its colour cube. */
const COLOR = "#d0d4dc";
export const BACKGROUND = "#1a1d23";
const SIXTEEN = [
  ...["#1a1d23", "#e06c75", "#7ec27e", "#d7b46a", "#6aa5e8", "#c08add", "#5cbcc4", "#d0d4dc"],
  ...["#6b7280", "#ff8a92", "#9be39b", "#f0d08a", "#8fc0ff", "#dba8f5", "#7fdbe2", "#ffffff"],
];
const CUBE = [0, 95, 135, 175, 215, 255];

const hex = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** One of the 256 indexed colours, as CSS. */
function indexedColor(index) {
  if (index < 16) return SIXTEEN[index];
  if (index >= 232) return hex([8, 8, 8].map((part) => part + 10 * (index - 232)));
  const place = index - 16;
  return hex([place / 36, (place / 6) % 6, place % 6].map((part) => CUBE[Math.floor(part)]));
}

function colorOf(isDefault, isRgb, value, usual) {
  if (isDefault) return usual;
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : indexedColor(value);
}

function readCell(cell) {
  const front = colorOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor(), COLOR);
  const back = colorOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor(), BACKGROUND);
  const isInverse = cell.isInverse() !== 0;
  return {
    // Empty for the second cell of a wide character.
    text: cell.getWidth() === 0 ? "" : cell.getChars() || " ",
    color: isInverse ? back : front,
    background: isInverse ? front : back,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
  };
}

/** One run of the program on an invisible terminal. */
export function openPictured(args, { columns, rows }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const preload = join(root, "scripts", "pictures", "fixed-start.cjs");
  const env = {
    PATH: process.env.PATH,
    HOME: "/dev/null",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    NODE_OPTIONS: `--require ${JSON.stringify(preload)}`,
    PICTURE_STARTED_NS: String(process.hrtime.bigint()),
  };
  const words = [join(root, "bin", "monitor.js"), ...args];
  const pty = spawn(process.execPath, words, { cols: columns, rows, env });
  let [isEnded, look] = [false, () => {}];
  pty.onData((data) => terminal.write(data, () => look()));
  const ended = new Promise((resolve) => pty.onExit(resolve)).then(() => {
    isEnded = true;
    look();
  });
  const lines = () => Array.from({ length: rows }, (_, y) => terminal.buffer.active.getLine(y));
  const textOf = () =>
    lines()
      .map((line) => line.translateToString().trimEnd())
      .join("\n");
  return {
    type: (keys) => pty.write(keys),
    /**
     * The cells of the first screen that matches all patterns, read between two frames (DEC 2026).
     * @throws {Error} if the program ends first
     */
    cells: (patterns) =>
      new Promise((resolve, reject) => {
        look = () => {
          const text = textOf();
          const isWhole = !terminal.modes.synchronizedOutputMode;
          if (isWhole && patterns.every((pattern) => pattern.test(text))) {
            look = () => {};
            const row = (line) =>
              Array.from({ length: columns }, (_, x) => readCell(line.getCell(x)));
            resolve(lines().map(row));
          } else if (isEnded) reject(new Error(`the program has ended:\n${text}`));
        };
        look();
      }),
    end() {
      if (!isEnded) pty.kill("SIGTERM");
      return ended;
    },
  };
}
