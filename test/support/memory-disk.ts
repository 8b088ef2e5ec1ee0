// A file system in memory that keeps what it was told, can fail, and can lose its power: what was not waited for may
// then be there in part.
import type { Files, OpenFile } from "../../src/export/files.ts";

interface Content {
  /** What programs read. */
  bytes: Buffer;
  /** What is on the disk for sure. */
  sure: Buffer;
}

export class PowerCut extends Error {}

export class MemoryDisk implements Files {
  #files = new Map<string, Content>();
  /** Every call, such as `write a.csv.part`. */
  readonly calls: string[] = [];
  /** The call with this number, and every later one, meets a power cut. */
  cutAt = Number.POSITIVE_INFINITY;
  /** Called before each call; what it throws is what the call fails with. */
  fail: (call: string) => void = () => {};

  text(path: string): string | undefined {
    return this.#files.get(path)?.bytes.toString();
  }

  put(path: string, text: string): void {
    this.#files.set(path, { bytes: Buffer.from(text), sure: Buffer.from(text) });
  }

  get names(): string[] {
    return [...this.#files.keys()].sort();
  }

  /** After the power cut: of what was not waited for, some is there. @param keep from 0 to 1 */
  restart(keep: number): void {
    for (const content of this.#files.values()) {
      const { bytes, sure } = content;
      const kept = sure.length + Math.floor(Math.max(0, bytes.length - sure.length) * keep);
      content.bytes = Buffer.from(kept > sure.length ? bytes.subarray(0, kept) : sure);
      content.sure = content.bytes;
    }
    this.cutAt = Number.POSITIVE_INFINITY;
    this.calls.length = 0;
  }

  async open(path: string, mode: "read" | "write" | "new"): Promise<OpenFile> {
    this.#call("open", path);
    const there = this.#files.get(path);
    if (mode === "new" && there !== undefined) throw fault("EEXIST");
    if (mode === "read" && there === undefined) throw fault("ENOENT");
    const content = there ?? { bytes: Buffer.alloc(0), sure: Buffer.alloc(0) };
    this.#files.set(path, content);
    const call = (name: string) => this.#call(name, path);
    return {
      async write(bytes, position) {
        call("write");
        const length = Math.max(content.bytes.length, position + bytes.length);
        const grown = Buffer.alloc(length);
        content.bytes.copy(grown);
        grown.set(bytes, position);
        content.bytes = grown;
      },
      async read(buffer, position) {
        return content.bytes.copy(buffer, 0, position, position + buffer.length);
      },
      async truncate(length) {
        call("truncate");
        content.bytes = Buffer.from(content.bytes.subarray(0, length));
      },
      async sync() {
        call("sync");
        content.sure = Buffer.from(content.bytes);
      },
      async close() {},
    };
  }

  async stat(path: string) {
    const content = this.#files.get(path);
    return content && { isFile: true, isFolder: false, bytes: content.bytes.length };
  }

  async readText(path: string) {
    return this.text(path);
  }

  async rename(from: string, to: string) {
    this.#call("rename", from);
    const content = this.#files.get(from);
    if (content === undefined) throw fault("ENOENT");
    this.#files.delete(from);
    this.#files.set(to, content);
  }

  replace(from: string, to: string) {
    return this.rename(from, to);
  }

  async remove(path: string) {
    this.#call("remove", path);
    this.#files.delete(path);
  }

  async syncFolderOf(path: string) {
    this.#call("sync folder of", path);
  }

  #call(name: string, path: string): void {
    if (this.calls.length + 1 >= this.cutAt) throw new PowerCut();
    this.fail(`${name} ${path}`);
    this.calls.push(`${name} ${path}`);
  }
}

export function fault(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: "write" });
}
