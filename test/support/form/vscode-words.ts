import { registerHooks } from "node:module";

const words =
  "export const l10n = { t: (text, ...values) => text.replace(/\\{(\\d)\\}/g, (mark, index) => values[index] ?? mark) };";

/** Lets code that only takes its words from `vscode` run in plain Node: the words are the English ones. Import this before that code. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "vscode"
      ? {
          url: `data:text/javascript,${encodeURIComponent(words)}`,
          format: "module",
          shortCircuit: true,
        }
      : next(specifier, context),
});
