import * as v from "valibot";

const side = v.picklist(["left", "right"]);
const output = { id: v.string() };

const fromComparison = v.variant("type", [
  /** The script runs. */
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("swap") }),
  v.object({ type: v.literal("choose"), side }),
  v.object({ type: v.literal("open"), side }),
  v.object({ type: v.literal("openDiff"), ...output }),
  v.object({ type: v.literal("openOutput"), ...output, side }),
  v.object({ type: v.literal("openLink"), href: v.pipe(v.string(), v.maxLength(10_000)) }),
]);

export type FromComparison = v.InferOutput<typeof fromComparison>;

/** The webview isn't trusted. Undefined if invalid. */
export function parseFromComparison(raw: unknown): FromComparison | undefined {
  const result = v.safeParse(fromComparison, raw);
  return result.success ? result.output : undefined;
}

const saved = v.object({ pair: v.object({ left: v.string(), right: v.string() }) });

/** The local IDs in the state that VS Code kept of a page. Undefined if invalid. */
export function parseSavedPair(raw: unknown) {
  const result = v.safeParse(saved, raw);
  return result.success ? result.output.pair : undefined;
}
