import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * The file is replaced only when all of it is written.
 * @throws what the file system throws, or the signal's reason
 */
export async function writeText(
  file: string,
  text: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  // The file's own name may have the maximum length.
  const temporary = path.join(folder, `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", ...(signal && { signal }) });
    signal?.throwIfAborted();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
