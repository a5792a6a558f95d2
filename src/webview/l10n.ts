import { config } from "@vscode/l10n";

// Imported first by each page: what is shown is translated by what the extension host wrote into it.
const translations = document.querySelector("main")?.dataset["l10n"];
if (translations !== undefined) config({ contents: translations });
