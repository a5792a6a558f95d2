import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/** It is no regular file, or too large. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
}

/** Never reads more than allowed, or waits for a writer. @throws UnusableFile, or the file system's error */
export async function readRegularFile(file: string, largestBytes: number): Promise<Buffer> {
  // To open a device can have effects.
  if (!(await stat(file)).isFile()) throw new UnusableFile(`${file} is not a regular file.`);
  // A pipe may have taken its place; Windows doesn't know this flag.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new UnusableFile(`${file} is not a regular file.`);
    const stream = handle.createReadStream({ end: largestBytes, autoClose: false });
    const { bytes, isTruncated, problem } = await readBytes(stream, largestBytes);
    if (problem instanceof Error) throw problem;
    if (isTruncated) throw new UnusableFile(`${file} is larger than ${largestBytes} bytes.`);
    return bytes;
  } finally {
    await handle.close();
  }
}

/** Reads up to `maxBytes` (decompressed). Never throws: what arrived may be enough. */
export async function readBytes(body: AsyncIterable<string | Uint8Array> | null, maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let problem: unknown;
  try {
    for await (const part of body ?? []) {
      const chunk = typeof part === "string" ? Buffer.from(part) : part;
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    problem = error;
  }
  return { bytes: Buffer.concat(chunks), isTruncated: size > maxBytes, problem };
}

/** A name that every file system accepts, without an extension. */
export function fileName(text: string): string {
  const plain = text.replace(/[<>:"/\\|?*%\u0000-\u001f\u007f]+/g, "_").replace(/\s+/g, " ");
  // Each character may have four bytes.
  const beginning = Array.from(plain.trim()).slice(0, 60).join("");
  const short = beginning.replace(/(?<![. ])[. ]+$/, "") || "_";
  // Windows has devices of these names, whatever follows the dot.
  return /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?:\.|$)/i.test(short) ? `_${short}` : short;
}
