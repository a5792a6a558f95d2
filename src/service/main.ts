import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exitWith, nodeProblem, Refusal } from "./errors.ts";
import { help, readOptions } from "./options.ts";

// Must run on an older Node until it has checked the version.

/** Beside `dist` for the bundle, beside `src` for the source. */
function exampleCrew(): string {
  const places = ["../media/example-crew", "../../media/example-crew"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((place) => existsSync(place)) ?? "";
}

/** From the package.json beside `dist`, or above the source. */
function version(): string {
  const files = ["../package.json", "../../package.json"];
  for (const file of files.map((path) => new URL(path, import.meta.url)))
    if (existsSync(file)) {
      const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: string };
      if (version !== undefined) return version;
    }
  return "unknown";
}

async function start(args: readonly string[]): Promise<void> {
  // Node 20 has no `getBuiltinModule`.
  const hasSqlite =
    "getBuiltinModule" in process && typeof process.getBuiltinModule("node:sqlite") === "object";
  const problem = nodeProblem(process.versions.node, hasSqlite);
  if (problem !== undefined) throw new Refusal("node", problem);
  // Files with inputs and outputs are for this user only.
  process.umask(0o077);
  const options = readOptions(args, process.env);
  const { serve } = await import("./serve.ts");
  await serve(options, exampleCrew());
}

const args = process.argv.slice(2);
try {
  if (args.includes("--help")) process.stdout.write(`${help}\n`);
  else if (args.includes("--version")) process.stdout.write(`${version()}\n`);
  else await start(args);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  exitWith(error);
}
