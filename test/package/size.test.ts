import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import { outputsIn, packagesIn, sourcesIn } from "./bundles.ts";

/** The limit of `dist/extension.js`, which is all that activation loads, in bytes. */
const limit = 200_000;

const dist = path.join(projectFolder, "dist");
const sizeOf = (file: string): number => statSync(path.join(dist, file)).size;

describe("The extension's code", () => {
  let loaded: readonly string[];
  before(() => {
    execFileSync(process.execPath, ["esbuild.mjs"], { cwd: projectFolder });
    loaded = filesLoadedBy("extension.js");
  });

  it("is one file under 200 KB at activation", () => {
    assert.deepEqual(loaded, ["extension.js"]);
    const size = sizeOf("extension.js");
    console.log(`      dist/extension.js ${size} bytes`);
    assert.ok(size < limit);
  });

  it("keeps code that most windows never need in chunks that load later", () => {
    const text = readFileSync(path.join(dist, "extension.js"), "utf8");
    // Text from the parsers of YAML and TOML, from node-fetch, from the timeline's picture, and from the exporter of spans.
    for (const word of [
      "Implicit keys need to be on a single line",
      "Invalid TOML document",
      "node-fetch cannot load",
      "prefers-color-scheme: dark",
      "OTLP export response body exceeded",
    ]) {
      const holding = readdirSync(path.join(dist, "chunks")).filter((file) =>
        readFileSync(path.join(dist, "chunks", file), "utf8").includes(word),
      );
      assert.equal(holding.length, 1, `${word} is in ${holding.join(", ")}`);
      assert.ok(!text.includes(word), `${word} is loaded at once`);
    }
  });

  // The times of tasks come with the store: 8 kB, which are compiled in a quarter of a millisecond.
  it("loads nothing of timeline, page, documents and events at once but what registers and stores them", () => {
    const sources = sourcesIn(outputsIn("metafiles.json"), ["dist/extension.js"]);
    assert.ok(sources.includes("src/extension.ts"));
    assert.deepEqual(
      sources
        .filter((file) =>
          /^src\/(api\/read-|executions\/(activity|steps)|views\/(page|timeline)\/|views\/document\/(decorations|notes|outline|render|task|times|tokens)\b|webview\/)/.test(
            file,
          ),
        )
        .sort(),
      [
        "src/executions/activity.ts",
        "src/views/page/register.ts",
        "src/views/timeline/timeline.ts",
      ],
    );
  });
});

describe("The third-party notices", () => {
  it("list exactly the packages whose code is in a bundle, each with its licence text", () => {
    const text = readFileSync(path.join(dist, "ThirdPartyNotices.txt"), "utf8");
    const names = packagesIn(outputsIn("metafiles.json"));
    const notices = [
      ...text.matchAll(/^={80}\n(\S+) \d\S* \((.+)\)\n={80}\n\n([^]*?)(?=\n={80}\n\S|$(?![^]))/gm),
    ].map(([, name, licence, words]) => ({ name, licence, words }));
    assert.deepEqual(
      notices.map(({ name }) => name),
      names,
    );
    for (const { name, licence = "", words = "" } of notices) {
      assert.match(words, /Copyright/i, name);
      assert.match(
        words,
        licence.includes("Apache-2.0")
          ? /END OF TERMS AND CONDITIONS/
          : licence.startsWith("BSD-")
            ? /Redistribution and use in source and binary forms/
            : licence === "Unlicense"
              ? /released into the public domain/
              : /Permission (?:is hereby granted|to use, copy)/,
        name,
      );
    }
  });
});

/** The files of dist that Node reads when it loads one of them, with a fake VS Code API and without activation. */
function filesLoadedBy(file: string): string[] {
  const program = `
    const Module = require("node:module");
    const load = Module._load;
    const get = (target, key) => (key === "prototype" ? target.prototype : anything);
    const anything = new Proxy(class {}, { get, apply: () => anything, getPrototypeOf: () => anything });
    Module._load = (request, ...rest) => (request === "vscode" ? anything : load(request, ...rest));
    require(process.argv[1]);
    process.stdout.write(JSON.stringify(Object.keys(require.cache)), () => process.exit());`;
  const output = execFileSync(process.execPath, ["--eval", program, path.join(dist, file)], {
    encoding: "utf8",
  });
  return (JSON.parse(output) as string[]).map((one) =>
    path.relative(dist, one).replaceAll("\\", "/"),
  );
}
