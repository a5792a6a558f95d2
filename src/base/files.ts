import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

export class NotRegularFile extends Error {
  override readonly name = "NotRegularFile";
}

export class FileTooLarge extends Error {
  override readonly name = "FileTooLarge";
}

/**
 * Never reads more than allowed, or waits for a writer. @throws {NotRegularFile | FileTooLarge}, or
 * the file system's error
 */
export async function readRegularFile(file: string, largestBytes: number): Promise<Buffer> {
  // To open a device can have effects.
  if (!(await stat(file)).isFile()) throw new NotRegularFile(`${file} is not a regular file.`);
  // A pipe may have taken its place; Windows doesn't know this flag.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new NotRegularFile(`${file} is not a regular file.`);
    const chunks: Buffer[] = [];
    const stream = handle.createReadStream({ end: largestBytes, autoClose: false });
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > largestBytes)
      throw new FileTooLarge(`${file} is larger than ${largestBytes} bytes.`);
    return bytes;
  } finally {
    await handle.close();
  }
}

/** A name that every file system accepts, without an extension. */
export function fileName(text: string): string {
  const plain = text.replace(/[<>:"/\\|?*%\u0000-\u001f\u007f]+/g, "_").replace(/\s+/g, " ");
  // Each character may have four bytes.
  const short =
    Array.from(plain.trim())
      .slice(0, 60)
      .join("")
      .replace(/(?<![. ])[. ]+$/, "") || "_";
  // Windows has devices of these names, whatever follows the dot.
  return /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?:\.|$)/i.test(short) ? `_${short}` : short;
}
