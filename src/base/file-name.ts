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
