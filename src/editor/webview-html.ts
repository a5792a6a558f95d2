import { escaped } from "../base/text.ts";

/** An empty page with one script and one style sheet. `nonce` is new for each page. */
export function webviewHtml(
  page: Readonly<
    Record<"language" | "title" | "nonce" | "cspSource" | "scriptUri" | "styleUri", string>
  > & {
    /** For `@vscode/l10n` in the page; undefined for English. */
    readonly translations: object | undefined;
  },
): string {
  const { language, title, nonce, cspSource, scriptUri, styleUri, translations } = page;
  const texts =
    translations === undefined ? "" : ` data-l10n="${escaped(JSON.stringify(translations))}"`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource}; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${escaped(styleUri)}">
</head>
<body>
<main id="page"${texts}></main>
<script type="module" nonce="${escaped(nonce)}" src="${escaped(scriptUri)}"></script>
</body>
</html>
`;
}
