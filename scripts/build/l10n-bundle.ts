// The strings that the extension's code shows, collected for translators: `npm run build` writes them to l10n/bundle.l10n.json.
// (@vscode/l10n-dev does the same, with a hundred packages of 89 MB.)
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** A bundle in VS Code's format: by key the text, or the text with a comment for translators (then the key is `text/comment`). */
type Bundle = Record<
  string,
  string | { readonly message: string; readonly comment: readonly string[] }
>;

/**
 * Every string given to `l10n.t` or `vscode.l10n.t` in the TypeScript files below a folder, sorted.
 * @throws Error with file and line if the text is no literal, which can't be translated
 */
export function collectStrings(folder: string): Bundle {
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name));
  const found = files.flatMap((name) =>
    stringsOf(name, readFileSync(path.join(folder, name), "utf8")),
  );
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The strings of one file, as entries of a bundle. @throws Error as {@link collectStrings} */
export function stringsOf(fileName: string, text: string): [string, Bundle[string]][] {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found: [string, Bundle[string]][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTranslation(node.expression))
      found.push(entryOf(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether an expression is `l10n.t` or `….l10n.t`. */
function isTranslation(called: ts.Expression): boolean {
  if (!ts.isPropertyAccessExpression(called) || called.name.text !== "t") return false;
  const of = called.expression;
  return ts.isIdentifier(of)
    ? of.text === "l10n"
    : ts.isPropertyAccessExpression(of) && of.name.text === "l10n";
}

function entryOf(call: ts.CallExpression, file: ts.SourceFile): [string, Bundle[string]] {
  const [first] = call.arguments;
  if (first !== undefined && ts.isStringLiteralLike(first)) return [first.text, first.text];
  if (first !== undefined && ts.isObjectLiteralExpression(first)) {
    const message = propertyOf(first, "message");
    const comment = propertyOf(first, "comment");
    const comments =
      comment === undefined
        ? []
        : ts.isArrayLiteralExpression(comment)
          ? [...comment.elements]
          : [comment];
    if (
      message !== undefined &&
      ts.isStringLiteralLike(message) &&
      comments.every(ts.isStringLiteralLike)
    ) {
      const texts = comments.map(({ text }) => text);
      return [`${message.text}/${texts.join("")}`, { message: message.text, comment: texts }];
    }
  }
  const { line } = file.getLineAndCharacterOfPosition(call.getStart(file));
  throw new Error(
    `${file.fileName}:${line + 1}: what l10n.t shows must be written there as it is, to be translated.`,
  );
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  return object.properties
    .filter(ts.isPropertyAssignment)
    .find((one) => ts.isIdentifier(one.name) && one.name.text === name)?.initializer;
}
