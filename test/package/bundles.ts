import type { Metafile } from "esbuild";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";

/** Of the extension's package and of the service's: the service, what runs crewAI, and the example crew. */
export const shippedInBoth = [
  "dist/crewdeck_worker/__init__.py",
  "dist/crewdeck_worker/__main__.py",
  "dist/crewdeck_worker/attempt.py",
  "dist/crewdeck_worker/calls.py",
  "dist/crewdeck_worker/flow.py",
  "dist/crewdeck_worker/gate.py",
  "dist/crewdeck_worker/judge.py",
  "dist/crewdeck_worker/project.py",
  "dist/crewdeck_worker/protocol.py",
  "dist/crewdeck_worker/recording.py",
  "dist/service.mjs",
  "media/example-crew/README.md",
  "media/example-crew/pyproject.toml",
  "media/example-crew/src/example_crew/__init__.py",
  "media/example-crew/src/example_crew/config/agents.yaml",
  "media/example-crew/src/example_crew/config/tasks.yaml",
  "media/example-crew/src/example_crew/crew.py",
  "media/example-crew/src/example_crew/main.py",
];

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
