import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";

/** Characters that are written at once; a text is one such piece or many. */
const piece = 1_000_000;

/** How a text is written. */
export interface WriteOptions {
  /** Hears of each piece: which part of the whole it was, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Ends it before the next piece. */
  readonly signal?: AbortSignal;
}

/**
 * Writes a text to a file of this machine piece by piece, and makes its folder. The file appears when all of it is there; when it
 * was broken off nothing is left behind and what was there before stays.
 * @throws what the file system throws, or the signal's reason
 */
export async function writeText(
  file: string,
  text: string,
  { onProgress, signal }: WriteOptions = {},
): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  // Not the whole name: it may be as long as a name can be.
  const unfinished = path.join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(unfinished, "wx");
    try {
      for (let at = 0; at < text.length;) {
        signal?.throwIfAborted();
        const end = endOfPiece(text, at + piece);
        await handle.write(text.slice(at, end));
        onProgress?.((end - at) / text.length);
        at = end;
      }
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** A place near `end` that is not between the two halves of one character. */
function endOfPiece(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return Math.min(text.length, last >= 0xd800 && last < 0xdc00 ? end + 1 : end);
}
