import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/** A path that leads to a device, a pipe or a folder. */
export class NotRegularFile extends Error {
  override readonly name = "NotRegularFile";
}

export class FileTooLarge extends Error {
  override readonly name = "FileTooLarge";
}

/**
 * The bytes of a regular file, or of a link to one. Reads at most one byte more than allowed, whatever size the file
 * reports, and never waits for somebody to write.
 * @throws {NotRegularFile | FileTooLarge} or the error of the file system
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
