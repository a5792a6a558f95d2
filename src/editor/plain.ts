/**
 * Text of others for a label that draws `$(name)` as an icon (quick pick, status bar): the mark is shown, not drawn.
 * VS Code's own way to escape it is a backslash before the dollar sign.
 */
export function plainLabel(text: string): string {
  return text.replace(/\$\(/g, "\\$(");
}

/**
 * Text of others for a notification, or for a box's prompt. VS Code turns `[words](command:…)` in one into a link that runs a command
 * (observed), so the two brackets are kept apart.
 */
export function plainMessage(text: string): string {
  return text.replace(/\](\s*)\(/g, "]\u200b$1(");
}
