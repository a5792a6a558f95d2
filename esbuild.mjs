// Builds what ships (dist/) and, with --tests, the bundle that runs inside VS Code's extension host (out/); with --service the service only.
import { context, build, transform } from "esbuild";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
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
const node = { ...common, platform: "node", target: "node22", mainFields: ["module", "main"] };

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
        entryPoints: [
          "form.ts",
          "form.css",
          "timeline/main.tsx",
          "timeline/timeline.css",
          "page/main.tsx",
          "page/page.css",
          "comparison/main.tsx",
          "comparison/comparison.css",
        ].map((file) => ({ in: `src/webview/${file}`, out: outputOf(file) })),
        outdir: "dist/webview",
        format: "esm",
        // What pages share ships once.
        splitting: true,
        chunkNames: "chunks/[name]-[hash]",
      },
    ];
const unshipped = tests && !onlyService ? hostTests() : [];

/**
 * The extension. What it takes by `import()` is a chunk of its own, read when it is needed first: activation must not pay for it.
 * esbuild splits ES modules only, and VS Code honours its proxy settings only for what CommonJS `require`s, so each piece is turned into CommonJS.
 */
function extension() {
  return {
    ...node,
    entryPoints: ["src/extension.ts"],
    outdir: "dist",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    sourcemap: development && "inline",
    // Blanks go at the end: what imports VS Code's API is looked for by its line.
    minify: false,
    minifySyntax: !development,
    minifyIdentifiers: !development,
    external: ["vscode"],
    // fetch-blob falls back to it where Node has no web streams, and Node has them since 16.5: 60 KB that never run.
    alias: { "web-streams-polyfill/dist/ponyfill.es2018.js": "node:stream/web" },
    plugins: [
      {
        name: "commonjs",
        setup: ({ onEnd }) => onEnd(({ outputFiles }) => writeAsCommonJs(outputFiles ?? [])),
      },
    ],
  };
}

async function writeAsCommonJs(files) {
  for (const file of files) {
    // Some sixty files import VS Code's API; esbuild would copy its hundreds of names for each of them, which took most of the time of loading.
    const text = file.text.replaceAll(
      /^import \* as ([\w$]+) from "vscode";$/gm,
      'const $1 = require("vscode");',
    );
    const { code } = await transform(text, {
      format: "cjs",
      platform: "node",
      target: "node22",
      minify: !development,
      sourcemap: development && "inline",
      supported: { "dynamic-import": false },
    });
    keep(file.path, code);
  }
  removeOldChunks(files);
}

/** Chunks are named by their content; those of an earlier build must not ship. */
function removeOldChunks(files) {
  const written = files.map((file) => file.path);
  const chunks = written.filter((file) => path.basename(path.dirname(file)) === "chunks");
  for (const folder of new Set(chunks.map((file) => path.dirname(file))))
    for (const name of readdirSync(folder))
      if (!written.includes(path.join(folder, name))) rmSync(path.join(folder, name));
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

/** The local crew service: a program of its own, which carries its openapi.yaml. */
function service() {
  return {
    ...node,
    entryPoints: ["src/service/main.ts"],
    outfile: "dist/service.mjs",
    format: "esm",
    define: { CREWDECK_OPENAPI: JSON.stringify(readFileSync("src/service/openapi.yaml", "utf8")) },
    // Some of what is bundled is CommonJS, which asks for Node's modules by `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    // openworkflow uses it where it is installed.
    external: ["@opentelemetry/api"],
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

keep("dist/worker.py", readFileSync("src/service/crewai/worker.py"));
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
  if (!onlyService) {
    keep("out/metafiles.json", JSON.stringify(metafiles));
    keep("dist/ThirdPartyNotices.txt", thirdPartyNotices(bundledPackages(metafiles)));
  }
}
