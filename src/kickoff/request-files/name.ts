import type { JsonObject } from "../../api/types.ts";

export const requestFileEnding = ".kickoff.json";

export function isRequestFile({ path }: { readonly path: string }): boolean {
  return path.endsWith(requestFileEnding);
}

export function suggestFileName(crew: string, inputs: JsonObject = {}): string {
  const first = Object.values(inputs)
    .map((value) =>
      value === null ? "" : slug(typeof value === "string" ? value : JSON.stringify(value)),
    )
    .find((text) => text !== "");
  const parts = [slug(crew), first].filter((part) => part !== undefined && part !== "");
  return `${parts.length === 0 ? "request" : parts.join("-")}${requestFileEnding}`;
}

/** Adds a request file's ending once, whatever a dialog appended. */
export function withEnding(path: string): string {
  return `${path.replace(/(?:\.kickoff\.json)+(?:\.json)?$|\.json$/i, "")}${requestFileEnding}`;
}

/** At most 30 letters and digits of any script, with hyphens for other characters. */
function slug(text: string): string {
  const words =
    text
      .slice(0, 200)
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return Array.from(words.join("-")).slice(0, 30).join("").replace(/-$/, "");
}
