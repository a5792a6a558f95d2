import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pieceOf } from "./text.ts";

const pieceLength = 1_000_000;

/**
 * Writes a text file in pieces, and creates its folder. The file is replaced only when all of it is written. `onProgress` gets
 * the share of the whole that each piece was, from 0 to 1.
 * @throws what the file system throws, or the signal's reason
 */
export async function writeText(
  file: string,
  text: string,
  { onProgress, signal }: { onProgress?: (share: number) => void; signal?: AbortSignal } = {},
): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  // Without the file's name, which may have the maximum length.
  const temporary = path.join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, "wx");
    try {
      for (let at = 0; at < text.length;) {
        signal?.throwIfAborted();
        const piece = pieceOf(text, at, pieceLength).text;
        await handle.write(piece);
        onProgress?.(piece.length / text.length);
        at += piece.length;
      }
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
