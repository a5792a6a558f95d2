import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exitWith, nodeProblem, Refusal } from "./errors.ts";
import { readOptions } from "./options.ts";

// Must run on an older Node until it has checked the version.

/** Beside `dist` for the bundle, beside `src` for the source. */
function exampleCrew(): string {
  const places = ["../media/example-crew", "../../media/example-crew"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((place) => existsSync(place)) ?? "";
}

try {
  // Node 20 has no `getBuiltinModule`.
  const hasSqlite =
    "getBuiltinModule" in process && typeof process.getBuiltinModule("node:sqlite") === "object";
  const problem = nodeProblem(process.versions.node, hasSqlite);
  if (problem !== undefined) throw new Refusal("node", problem);
  // Files with inputs and outputs are for this user only.
  process.umask(0o077);
  const options = readOptions(process.argv.slice(2), process.env);
  const { serve } = await import("./serve.ts");
  await serve(options, exampleCrew());
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  exitWith(error);
}
