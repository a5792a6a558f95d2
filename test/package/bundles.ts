import type { Metafile } from "esbuild";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";

export type Outputs = Metafile["outputs"];

/** What esbuild wrote in `out` about the files of its last build. */
export function outputsIn(file: string): Outputs {
  const read = JSON.parse(readFileSync(path.join(projectFolder, "out", file), "utf8")) as unknown;
  const metafiles = (Array.isArray(read) ? read : [read]) as Metafile[];
  return Object.assign({}, ...metafiles.map(({ outputs }) => outputs)) as Outputs;
}

/** The files whose code is in these files of the build. */
export function sourcesIn(outputs: Outputs, files = Object.keys(outputs)): string[] {
  return files.flatMap((file) =>
    Object.entries(outputs[file]?.inputs ?? {}).flatMap(([source, { bytesInOutput }]) =>
      bytesInOutput > 0 ? source : [],
    ),
  );
}

/** The packages whose code is in these files of the build. */
export function packagesIn(outputs: Outputs, files?: readonly string[]): string[] {
  const names = sourcesIn(outputs, files && [...files]).flatMap(
    (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}
