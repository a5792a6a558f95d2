// The files of the extension's code as VS Code loads them.
import { build, transform, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import path from "node:path";

const main = "dist/extension.js";

/**
 * Turns what esbuild splits into CommonJS: esbuild splits ES modules only, and VS Code honours its proxy settings only for what
 * CommonJS `require`s. What activation loads becomes one file: finding and opening fifty takes longer than running their code.
 */
export function commonJs(
  options: Pick<BuildOptions, "platform" | "target" | "minify" | "sourcemap">,
): Plugin {
  const format = { ...options, format: "cjs", supported: { "dynamic-import": false } } as const;
  return {
    name: "commonjs",
    setup(builder) {
      builder.onEnd(async (result) => {
        const { outputFiles = [], metafile } = result;
        if (metafile === undefined) return;
        const merged = mergedChunks(metafile);
        const texts = new Map(
          outputFiles.map((file) => [nameOf(file.path), withVSCode(file.text)]),
        );
        const kept = outputFiles.filter((file) => !merged.has(nameOf(file.path)));
        for (const file of kept) {
          const name = nameOf(file.path);
          file.contents = Buffer.from(
            name === main
              ? await merge(merged, texts, format)
              : fromMain((await transform(texts.get(name) ?? "", format)).code, merged),
          );
        }
        result.outputFiles = kept;
        for (const chunk of merged) {
          Object.assign(metafile.outputs[main]?.inputs ?? {}, metafile.outputs[chunk]?.inputs);
          Reflect.deleteProperty(metafile.outputs, chunk);
        }
      });
    },
  };
}

/** esbuild would copy the hundreds of names of VS Code's API for each file that imports it, which took most of the time of loading. */
function withVSCode(text: string): string {
  return text.replaceAll(
    /^import \* as ([\w$]+) from "vscode";$/gm,
    'const $1 = require("vscode");',
  );
}

/** As in esbuild's metafile. */
function nameOf(file: string): string {
  return path.relative("", file).replaceAll("\\", "/");
}

/** The chunks that the main file imports, and that these import. */
function mergedChunks({ outputs }: Metafile): ReadonlySet<string> {
  const files = new Set([main]);
  for (const file of files)
    for (const { path: imported, kind } of outputs[file]?.imports ?? [])
      if (kind === "import-statement" && imported in outputs) files.add(imported);
  files.delete(main);
  return files;
}

/** The main file with these chunks, each a property of its exports for the chunks that load later. */
async function merge(
  chunks: ReadonlySet<string>,
  texts: ReadonlyMap<string, string>,
  options: BuildOptions,
): Promise<string> {
  const exported = [...chunks].map(
    (file) => `export * as "${path.basename(file)}" from "./${file}";`,
  );
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: [`export * from "./${main}";`, ...exported].join("\n"), resolveDir: "." },
    bundle: true,
    write: false,
    outfile: main,
    external: ["vscode"],
    plugins: [
      {
        name: "merge",
        setup(builder) {
          builder.onResolve({ filter: /^\./ }, ({ path: imported, resolveDir }) => {
            const file = nameOf(path.resolve(resolveDir, imported));
            return file === main || chunks.has(file)
              ? { path: path.resolve(file) }
              : { path: `./${file.slice("dist/".length)}`, external: true };
          });
          builder.onLoad({ filter: /\.js$/ }, ({ path: file }) => ({
            contents: texts.get(nameOf(file)) ?? "",
            resolveDir: path.dirname(file),
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

/** The code of a chunk that loads later: it takes from the main file what was merged into that. */
function fromMain(code: string, merged: ReadonlySet<string>): string {
  return code.replaceAll(/require\("\.\/([\w-]+\.js)"\)/g, (call, name: string) =>
    merged.has(`dist/chunks/${name}`) ? `require("../extension.js")["${name}"]` : call,
  );
}
