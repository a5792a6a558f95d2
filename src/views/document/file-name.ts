import { createHash } from "node:crypto";
import { partName, type ExecutionPart } from "../../editor/execution-uri.ts";

/** Characters of a file's name; every file system takes as many, even if each is four bytes. */
const longest = 60;

/** A name for the file of one part that no other part of its execution has, without its extension. */
export function uniqueName(part: ExecutionPart): string {
  const name = partName(part);
  const plain = plainName(name);
  return plain === name
    ? plain
    : `${plain} ${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
}

/** A text as a file's name on any system: no characters or endings that one of them refuses, and not too long. */
export function plainName(text: string): string {
  const plain = text
    .replace(/[<>:"/\\|?*%\u0000-\u001f\u007f]+/g, "_")
    .replace(/\s+/g, " ")
    .trim();
  return (
    Array.from(plain)
      .slice(0, longest)
      .join("")
      .replace(/[. ]+$/, "") || "_"
  );
}
