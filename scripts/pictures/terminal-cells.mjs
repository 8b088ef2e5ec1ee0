// Runs the built program on a pseudo-terminal, and reads its screen as cells with colours.
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { root } from "../setup.mjs";
import { WholeFrames } from "./whole-frames.mjs";

/** A terminal's colours: default foreground, default background, and the sixteen ANSI colours. */
export const TERMINAL = {
  color: "#d0d4dc",
  background: "#1a1d23",
  sixteen: [
    "#1a1d23",
    "#e06c75",
    "#7ec27e",
    "#d7b46a",
    "#6aa5e8",
    "#c08add",
    "#5cbcc4",
    "#d0d4dc",
    "#6b7280",
    "#ff8a92",
    "#9be39b",
    "#f0d08a",
    "#8fc0ff",
    "#dba8f5",
    "#7fdbe2",
    "#ffffff",
  ],
};

const CUBE = [0, 95, 135, 175, 215, 255];

/** One of the 256 indexed colours, as CSS. */
function indexedColor(index, { sixteen }) {
  if (index < 16) return sixteen[index];
  if (index >= 232) return hex([8, 8, 8].map((part) => part + 10 * (index - 232)));
  const place = index - 16;
  return hex([place / 36, (place / 6) % 6, place % 6].map((part) => CUBE[Math.floor(part)]));
}

function hex(parts) {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function colorOf(isDefault, isRgb, value, usual, terminal) {
  if (isDefault) return usual;
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : indexedColor(value, terminal);
}

function readCell(cell, terminal) {
  const { color, background } = terminal;
  const front = colorOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor(), color, terminal);
  const back = colorOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor(), background, terminal);
  const isInverse = cell.isInverse() !== 0;
  return {
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
export class PicturedProgram {
  #terminal;
  #frames;
  #pty;
  #ended;
  #isEnded = false;

  constructor(args, { columns, rows }) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#frames = new WholeFrames(this.#terminal);
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
    this.#pty = spawn(process.execPath, words, { cols: columns, rows, env });
    this.#pty.onData((data) => this.#frames.write(data));
    this.#ended = new Promise((resolve) => this.#pty.onExit(resolve)).then(() => {
      this.#isEnded = true;
      this.#frames.end();
    });
  }

  /**
   * Waits until the screen matches all patterns.
   * @throws {Error} if the program ends first
   */
  until(patterns) {
    return this.#frames.when(patterns);
  }

  /**
   * The cells of the screen, in a terminal of these colours, once it matches all patterns.
   * @throws {Error} if the program ends first
   */
  cells(patterns, terminal) {
    return this.#frames.when(patterns, () =>
      this.#frames.lines.map((line) =>
        Array.from({ length: this.#terminal.cols }, (_, x) => readCell(line.getCell(x), terminal)),
      ),
    );
  }

  resize(columns, rows) {
    this.#frames.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  type(keys) {
    this.#pty.write(keys);
  }

  end() {
    if (!this.#isEnded) this.#pty.kill("SIGTERM");
    return this.#ended;
  }
}
