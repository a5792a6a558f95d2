/** What the form's page is made of. */
export interface PageParts {
  /** BCP 47, for screen readers. */
  readonly language: string;
  readonly title: string;
  /** Fresh for each page. */
  readonly nonce: string;
  /** Where styles may come from: the webview's own source. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

/** The form's page: an empty frame that runs one script and loads one style sheet and nothing else. */
export function formPage({
  language,
  title,
  nonce,
  cspSource,
  scriptUri,
  styleUri,
}: PageParts): string {
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
<main id="page"></main>
<script nonce="${escape(nonce)}" src="${escape(scriptUri)}"></script>
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
