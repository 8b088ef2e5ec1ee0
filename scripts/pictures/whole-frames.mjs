// Reads a terminal only between frames, of a program that draws in synchronised updates (DEC 2026) and erases the screen when its
// size changes.

/** Observes the output to an xterm terminal. */
export class WholeFrames {
  #terminal;
  /** True from a resize until the program has erased the screen. */
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

  /** The program has ended. */
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
   * Resolves to the result of `read` on the first complete screen that matches all patterns. It reads synchronously, since the next
   * frame may begin in any later turn.
   * @throws {Error} if the program ends first
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
