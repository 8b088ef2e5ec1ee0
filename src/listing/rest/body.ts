// The body of an answer: read with a limit, whatever the service claims about it.
import { isAscii, isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { HistoryError } from "../../units/monitor-error.ts";

/** A page of 1000 records has about 600 KB; nothing of the interface comes near this. Decision: docs/adr/0025. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Nobody asked for a compressed answer: a small one must not unpack to what fills the memory. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

const decoders: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** A whole body, decompressed. */
export class Body {
  /** UTF-8. */
  readonly bytes: Buffer;
  #text: string | undefined;

  /** @throws {HistoryError} `bad-encoding` when the bytes are no UTF-8: replaced characters would be false data */
  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) throw new HistoryError("bad-encoding", "the answer is not UTF-8 text");
    this.bytes = bytes;
  }

  /** Decoded when it is first asked for. */
  get text(): string {
    // Most pages are; a letter a byte is copied in less time than it is decoded.
    this.#text ??= isAscii(this.bytes) ? this.bytes.toString("latin1") : utf8.decode(this.bytes);
    return this.#text;
  }
}

const utf8 = new TextDecoder();

/**
 * Reads a body to its end.
 * @param encoding the Content-Encoding; we ask for none, but some proxies compress all the same
 * @param onChunk a part of it has come
 * @throws {HistoryError} `too-large`, `bad-encoding`; what the body throws when it is cut
 */
export async function readBody(
  body: AsyncIterable<Buffer>,
  encoding: string | undefined,
  onChunk: () => void,
): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    onChunk();
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    chunks.push(chunk);
  }
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length <= 1 ? first : Buffer.concat(chunks, length);
  const isPlain = encoding === undefined || encoding === "identity";
  return new Body(isPlain ? bytes : await decompress(bytes, encoding));
}

async function decompress(bytes: Buffer, encoding: string): Promise<Buffer> {
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decode === undefined) {
    throw new HistoryError("bad-encoding", `the answer is encoded as ${encoding.slice(0, 40)}`);
  }
  try {
    return await decode(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw tooLarge(MAX_UNPACKED_BYTES);
    }
    throw new HistoryError("cut-body", `the answer is no whole ${encoding} text`, { cause });
  }
}

function tooLarge(most: number): HistoryError {
  return new HistoryError("too-large", `the answer is larger than ${most >> 20} MiB`, {
    advice: "check --base-url: no page of the interface is that large",
  });
}
