import type { Reports } from "../../src/service/engine.ts";
import { noRules } from "../../src/service/questions.ts";

const nothing = () => Promise.resolve();

/** Of an attempt of which nobody wants to know. */
export const noReports: Reports = {
  begin: () => Promise.resolve(noRules),
  step: nothing,
  event: nothing,
  call: nothing,
  ask: () => Promise.reject(new Error("Nobody answers.")),
};
