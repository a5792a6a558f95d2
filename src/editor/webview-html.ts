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
    translations === undefined ? "" : ` data-l10n="${escape(JSON.stringify(translations))}"`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource}; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="${escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="stylesheet" href="${escape(styleUri)}">
</head>
<body>
<main id="page"${texts}></main>
<script type="module" nonce="${escape(nonce)}" src="${escape(scriptUri)}"></script>
</body>
</html>
`;
}

function escape(text: string): string {
  return text
    .replace(/&/g, "&amp;")
    .replace(/"/g, "&quot;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}
