// What a terminal shows between frames, never in the midst of one: of a program that draws in synchronised frames
// (DEC 2026) and erases the screen when its size changes.

/** Watches what is written to a terminal of xterm. */
export class WholeFrames {
  #terminal;
  /** The screen has another size than what is drawn on it. */
  #isResized = false;
  #isEnded = false;
  #look = () => {};

  constructor(terminal) {
    this.#terminal = terminal;
    terminal.parser.registerCsiHandler({ final: "J" }, () => {
      this.#isResized = false;
      return false;
    });
  }

  write(data) {
    this.#terminal.write(data, () => this.#look());
  }

  resize(columns, rows) {
    this.#isResized = true;
    this.#terminal.resize(columns, rows);
  }

  /** Nothing more will be written. */
  end() {
    this.#isEnded = true;
    this.#look();
  }

  get text() {
    return this.lines.map((line) => line.translateToString().trimEnd()).join("\n");
  }

  get lines() {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, y) => active.getLine(y));
  }

  get #isWhole() {
    return !this.#isResized && !this.#terminal.modes.synchronizedOutputMode;
  }

  /**
   * What `read` finds on the first whole screen that shows all of it. It reads at once: the next frame may have begun
   * as soon as anything is waited for.
   * @throws {Error} when the program ends before
   */
  when(patterns, read = () => undefined) {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        if (this.#isWhole && patterns.every((pattern) => pattern.test(this.text))) {
          this.#look = () => {};
          resolve(read());
        } else if (this.#isEnded) reject(new Error(`the program has ended:\n${this.text}`));
      };
      this.#look();
    });
  }
}
