import * as l10n from "@vscode/l10n";

/** A size in bytes for a person: "812 bytes", "12 kB", "5.2 MB". */
export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return l10n.t("{0} bytes", bytes);
  if (bytes < 1_000_000) return l10n.t("{0} kB", Math.round(bytes / 1000));
  return l10n.t("{0} MB", Math.round(bytes / 100_000) / 10);
}
