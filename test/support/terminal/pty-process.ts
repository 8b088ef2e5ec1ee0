// A real process on a real pseudo terminal: bundled for it, started, listened to.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IPty } from "@lydell/node-pty";
import { build } from "esbuild";
import { type OpenPty, openPty } from "./open-pty.ts";

/** Ink's developer tools are an optional dependency that is not installed. */
const withoutDeveloperTools = {
  name: "without-developer-tools",
  setup(
    bundle: Parameters<NonNullable<Parameters<typeof build>[0]["plugins"]>[number]["setup"]>[0],
  ) {
    bundle.onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({
      path: "none",
      namespace: "empty",
    }));
    bundle.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "export {}" }));
  },
};

/** A program bundled into a folder of its own. */
export interface BundledProgram {
  readonly path: string;
  remove(): void;
}

/** Bundles a TypeScript program with production React into a temporary folder. */
export async function bundleProgram(entry: string): Promise<BundledProgram> {
  const folder = mkdtempSync(join(tmpdir(), "pty-program-"));
  const path = join(folder, "program.mjs");
  await build({
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withoutDeveloperTools],
    banner: {
      js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
    },
  });
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Besides the environment of the test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a process on a pty has written, and how it ended. */
export class PtyProcess {
  output = "";
  readonly #pty: IPty;
  readonly #exit: OpenPty["exit"];
  readonly #waiting = new Set<() => void>();

  constructor(command: string, args: string[], options: PtyOptions = {}) {
    const { columns = 80, rows = 24, env = {} } = options;
    const { pty, exit } = openPty(command, args, {
      cols: columns,
      rows,
      // CI silences Ink's own output; ours must not care.
      env: { ...process.env, TERM: "xterm-256color", CI: "true", ...env },
    });
    this.#pty = pty;
    this.#exit = exit;
    this.#pty.onData((data) => {
      this.output += data;
      for (const check of this.#waiting) check();
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }

  /** Closes the terminal, as when its window is closed. */
  close(): void {
    (this.#pty as IPty & { destroy(): void }).destroy();
  }

  /** Waits until the output after `from` contains the text; returns the index behind it. */
  shows(text: string, from = 0): Promise<number> {
    return new Promise((resolve) => {
      const check = () => {
        const at = this.output.indexOf(text, from);
        if (at < 0) return;
        this.#waiting.delete(check);
        resolve(at + text.length);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Waits for the end. */
  ended(): OpenPty["exit"] {
    return this.#exit;
  }
}
