// Builds what ships (dist/) and, with --tests, the bundle that runs inside VS Code's extension host (out/); with --service the service only.
import { context, build } from "esbuild";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { commonJs } from "./scripts/build/common-js.ts";
import { collectStrings } from "./scripts/build/l10n-bundle.ts";
import { bundledPackages, thirdPartyNotices } from "./scripts/build/third-party-notices.ts";

const watch = process.argv.includes("--watch");
const development = watch || process.argv.includes("--development");
const tests = process.argv.includes("--tests");

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  minify: !development,
  sourcemap: development,
  logLevel: watch ? "info" : "warning",
  legalComments: "none",
  write: false,
  metafile: true,
  plugins: [
    {
      name: "write",
      setup: ({ onEnd }) =>
        onEnd(({ outputFiles = [] }) => {
          for (const { path: file, contents } of outputFiles) keep(file, contents);
          removeOldChunks(outputFiles);
        }),
    },
  ],
};
/** @type {import("esbuild").BuildOptions} */
// ES modules first: jsonc-parser's other build can't be bundled, and what is unused is left out.
const node = {
  ...common,
  platform: "node",
  target: "node22",
  mainFields: ["module", "main"],
  // The same code as ES modules.
  alias: { yaml: "./node_modules/yaml/browser/index.js" },
};

const onlyService = process.argv.includes("--service");
const shipped = onlyService
  ? [service()]
  : [
      extension(),
      service(),
      {
        ...common,
        platform: "browser",
        target: "es2022",
        alias: { entities: "./scripts/build/browser-entities.ts" },
        entryPoints: [
          "form/main.tsx",
          "form/form.css",
          "timeline/main.tsx",
          "timeline/timeline.css",
          "page/main.tsx",
          "page/page.css",
          "comparison/main.tsx",
          "comparison/comparison.css",
          "batch/main.tsx",
          "batch/batch.css",
        ].map((file) => ({ in: `src/webview/${file}`, out: outputOf(file) })),
        outdir: "dist/webview",
        format: "esm",
        // What pages share ships once.
        splitting: true,
        chunkNames: "chunks/[name]-[hash]",
      },
    ];
const unshipped = tests && !onlyService ? hostTests() : [];

/** The extension. What it takes by `import()` is a chunk of its own, read when it is needed first: activation must not pay for it. */
function extension() {
  const { platform, target, minify } = node;
  const sourcemap = development && "inline";
  return {
    ...node,
    entryPoints: ["src/extension.ts"],
    outdir: "dist",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    sourcemap,
    // Blanks go at the end: what imports VS Code's API is looked for by its line.
    minify: false,
    minifySyntax: minify,
    minifyIdentifiers: minify,
    external: ["vscode"],
    // fetch-blob falls back to it where Node has no web streams, and Node has them since 16.5: 60 KB that never run.
    alias: { ...node.alias, "web-streams-polyfill/dist/ponyfill.es2018.js": "node:stream/web" },
    plugins: [commonJs({ platform, target, minify, sourcemap }), ...node.plugins],
  };
}

/** Chunks are named by their content; those of an earlier build must not ship. */
function removeOldChunks(files) {
  const written = files.map((file) => file.path);
  const isChunk = (file) =>
    path.basename(path.dirname(file)) === "chunks" || path.basename(file).startsWith("service-");
  for (const folder of new Set(written.filter(isChunk).map((file) => path.dirname(file))))
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      if (isChunk(file) && !written.includes(file)) rmSync(file);
    }
}

/** Writes a file only if it changes: a running window may be reading it. */
function keep(file, contents) {
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(contents))) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, contents);
}

/** A page's script or style sheet: `timeline/main.tsx` becomes `timeline.js`. */
function outputOf(file) {
  return file.replace(/\/.*|\.\w+$/, "");
}

/**
 * The crew service: a program of its own, which carries its openapi.yaml. What it takes by `import()` is a chunk of its own, which only those
 * who need it load. Chunks are beside the program: files that the code looks for are at the same place for all of it.
 */
function service() {
  return {
    ...node,
    entryPoints: { service: "src/service/main.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    format: "esm",
    splitting: true,
    chunkNames: "service-[name]-[hash]",
    // As an object, because each start would parse YAML, which takes a tenth of it.
    define: {
      CREWDECK_OPENAPI: JSON.stringify(parse(readFileSync("src/service/openapi.yaml", "utf8"))),
    },
    // Some of what is bundled is CommonJS, which asks for Node's modules by `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  };
}

/** One bundle of every host test; its `run()` is what VS Code's extension host calls. */
function hostTests() {
  const files = readdirSync("test/host", { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".test.ts"));
  const register = files
    .sort()
    .map((name) => `require("./${name}");`)
    .join("\n");
  const contents = `import { runTests } from "./index.ts";\nexport const run = () => runTests(() => {\n${register}\n});`;
  return [
    {
      ...node,
      minify: false,
      sourcemap: "inline",
      stdin: { contents, resolveDir: "test/host", sourcefile: "all.ts", loader: "ts" },
      outfile: "out/host/index.js",
      format: "cjs",
      external: ["vscode", "mocha"],
      // CommonJS has no import.meta; out/host lies as deep in the project as test/support, which asks for it.
      define: { "import.meta.dirname": "__dirname" },
      // Mocha's own CommonJS file: what require("mocha") gives depends on the version of Node.
      alias: { mocha: "mocha/lib/mocha.cjs" },
    },
  ];
}

const workerSource = "src/service/crewai/crewdeck_worker";
const modules = readdirSync(workerSource).filter((name) => name.endsWith(".py"));
for (const name of modules)
  keep(`dist/crewdeck_worker/${name}`, readFileSync(`${workerSource}/${name}`));
// Those of an earlier build must not ship.
for (const name of readdirSync("dist/crewdeck_worker"))
  if (!modules.includes(name)) rmSync(`dist/crewdeck_worker/${name}`, { recursive: true });
if (!onlyService) {
  keep("l10n/bundle.l10n.json", `${JSON.stringify(collectStrings("src"), undefined, 2)}\n`);
}
if (watch) {
  for (const options of [...shipped, ...unshipped]) await (await context(options)).watch();
} else {
  const [results] = await Promise.all(
    [shipped, unshipped].map((builds) => Promise.all(builds.map((options) => build(options)))),
  );
  const metafiles = results.map(({ metafile }) => metafile);
  const serviceMetafile = metafiles.find(({ outputs }) => "dist/service.mjs" in outputs);
  keep("out/service-metafile.json", JSON.stringify(serviceMetafile));
  if (!onlyService) {
    keep("out/metafiles.json", JSON.stringify(metafiles));
    keep("dist/ThirdPartyNotices.txt", thirdPartyNotices(bundledPackages(metafiles)));
  }
}
