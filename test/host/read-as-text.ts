import { set } from "./extension.ts";

/** For a `describe` at its top, whose tests read executions as text. */
export function readAsText(): void {
  before(() => set("openExecutionsAs", "text"));
  after(() => set("openExecutionsAs", undefined));
}
