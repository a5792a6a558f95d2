// Builds what ships (dist/) and, with --tests, the bundle that runs inside VS Code's extension host (out/).
import { context, build } from "esbuild";
import { readdirSync } from "node:fs";

const watch = process.argv.includes("--watch");
const development = watch || process.argv.includes("--development");
const tests = process.argv.includes("--tests");

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  minify: !development,
  sourcemap: development,
  logLevel: "warning",
  legalComments: "none",
};
/** @type {import("esbuild").BuildOptions} */
const node = { ...common, platform: "node", target: "node22" };

const builds = [
  // VS Code's extension host loads CommonJS; mainFields prefers ES modules so that what is unused is left out.
  { ...node, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", format: "cjs", external: ["vscode"], mainFields: ["module", "main"] },
  { ...node, entryPoints: ["src/service/main.ts"], outfile: "dist/service.mjs", format: "esm", loader: { ".yaml": "text" } },
  { ...common, platform: "browser", target: "es2022", entryPoints: ["src/webview/form.ts", "src/webview/form.css"], outdir: "dist/webview", format: "iife" },
  ...(tests ? hostTests() : []),
];

/** One bundle of every host test and the Mocha runner that the extension host calls. */
function hostTests() {
  const files = readdirSync("test/host", { recursive: true }).map(String).filter((name) => name.endsWith(".test.ts"));
  const contents = files.sort().map((name) => `require("./${name}");`).join("\n");
  return [
    {
      ...node,
      minify: false,
      sourcemap: "inline",
      stdin: { contents: `module.exports.register = () => {\n${contents}\n};`, resolveDir: "test/host", sourcefile: "all.ts", loader: "ts" },
      outfile: "out/host/all.js",
      format: "cjs",
      external: ["vscode", "mocha"],
    },
    { ...node, minify: false, entryPoints: ["test/host/index.ts"], outfile: "out/host/index.js", format: "cjs", external: ["vscode", "mocha", "./all.js"] },
  ];
}

if (watch) {
  for (const options of builds) await (await context(options)).watch();
} else {
  await Promise.all(builds.map((options) => build(options)));
}
