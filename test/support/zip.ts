import { inflateRawSync } from "node:zlib";

/** The files in a zip archive such as a .vsix, as texts, by their names. */
export function filesInZip(zip: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  // The directory is at the end, before a record of 22 bytes and no comment (APPNOTE.TXT 4.3.12 and 4.3.16).
  let at = zip.readUInt32LE(zip.length - 6);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + zip.readUInt32LE(at + 20));
    const content = zip.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data);
    files.set(zip.toString("utf8", at + 46, nameEnd), content.toString("utf8"));
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}
