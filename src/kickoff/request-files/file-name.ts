import type { JsonObject } from "../../api/types.ts";

/** The end of every request file's name. */
export const requestFileEnding = ".kickoff.json";

/** Longest part of a file's name that is made of a crew's name or of an input, in characters. */
const longest = 30;

/** A name for a request file, of the crew and its first input that says something: "travel-oslo.kickoff.json". */
export function suggestFileName(crew: string, inputs: JsonObject = {}): string {
  const first = Object.values(inputs)
    .map((value) =>
      value === null ? "" : slug(typeof value === "string" ? value : JSON.stringify(value)),
    )
    .find((text) => text !== "");
  const parts = [slug(crew), first].filter((part) => part !== undefined && part !== "");
  return `${parts.length === 0 ? "request" : parts.join("-")}${requestFileEnding}`;
}

/** The name of the file a person means: with the ending that makes it a request file, once, whatever a dialog put behind it. */
export function withEnding(path: string): string {
  return `${path.replace(/(?:\.kickoff\.json)+(?:\.json)?$|\.json$/i, "")}${requestFileEnding}`;
}

/** Letters and digits of any script, with hyphens for the rest. */
function slug(text: string): string {
  const words = text
    .slice(0, 200)
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+/, "");
  return Array.from(words).slice(0, longest).join("").replace(/-+$/, "");
}
