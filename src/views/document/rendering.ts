// What documents are made with: loaded with the first document.
export { renderMissingOutput, renderOutput } from "./output-document.ts";
export { renderExecution } from "./render.ts";
export { renderMissing } from "./situation.ts";
