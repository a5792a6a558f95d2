import { jsonText } from "./markdown.ts";

/** An output as a file of its own. */
export interface OutputContent {
  /** Without its dot. */
  readonly extension: "md" | "json";
  readonly text: string;
}

/** What a crew's output is: JSON (an object or an array), also in a code block that is all there is, laid out to be read; else Markdown, as it came. */
export function outputContent(output: string): OutputContent {
  const json = jsonText(unfenced(output));
  return json === undefined
    ? { extension: "md", text: output }
    : { extension: "json", text: `${json}\n` };
}

/** What stands in a code block that is the whole text and says that it is JSON, or says nothing; else the text. Models like to answer so. */
function unfenced(output: string): string {
  const text = output.trim();
  const [opening, fence] = /^(`{3,}|~{3,})[ \t]*(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === undefined || fence === undefined || !text.endsWith(fence)) return output;
  const inside = text.slice(opening.length, -fence.length);
  return /\n[ \t]*$/.test(inside.slice(-100)) ? inside : output;
}
