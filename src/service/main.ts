import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { announceRefusal } from "./announce.ts";
import { nodeProblem } from "./node-version.ts";
import { readOptions } from "./options.ts";
import { Refusal } from "./refusal.ts";

// The program. Nothing it imports before the version of Node is known may need a newer one.

/** The crew that ships with this program: beside `dist` for the bundle, beside `src` for the source. */
function exampleCrew(): string {
  const bundled = fileURLToPath(new URL("../media/example-crew", import.meta.url));
  return existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL("../../media/example-crew", import.meta.url));
}

/** Node 20 and older may not even have the function that tells. */
function hasSqlite(): boolean {
  return (
    "getBuiltinModule" in process && typeof process.getBuiltinModule("node:sqlite") === "object"
  );
}

try {
  const problem = nodeProblem(process.versions.node, hasSqlite());
  if (problem !== undefined) throw new Refusal("node", problem);
  // Executions hold what people typed and what crews answered: nobody else on the machine reads the files.
  process.umask(0o077);
  const options = readOptions(process.argv.slice(2), process.env);
  const { serve } = await import("./serve.ts");
  await serve(options, exampleCrew(), process.env);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  announceRefusal(error);
}
