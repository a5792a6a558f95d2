/** A body as far as it could be read. */
export interface ReadBody {
  readonly text: string;
  /** Whether it went on beyond the limit; `text` then ends there. */
  readonly tooLarge: boolean;
  /** What broke it off, where something did. */
  readonly problem?: unknown;
}

/** Reads a body up to a limit, counted in bytes after decompression, and never throws: what came before a break may say enough. */
export async function readBody(
  body: AsyncIterable<string | Uint8Array> | null,
  maxBytes: number,
): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const text = () => new TextDecoder().decode(Buffer.concat(chunks));
  try {
    for await (const part of body ?? []) {
      const chunk = typeof part === "string" ? Buffer.from(part) : part;
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) return { text: text(), tooLarge: true };
    }
    return { text: text(), tooLarge: false };
  } catch (problem) {
    return { text: text(), tooLarge: false, problem };
  }
}
