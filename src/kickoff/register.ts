import { Disposables } from "../base/events.ts";
import { type LazyFormsOptions, LazyForms } from "./form/lazy-forms.ts";
import { LazyRequestFiles } from "./request-files/lazy-request-files.ts";

export type KickoffRoom = ReturnType<typeof registerKickoff>;

/** What starts executions. */
export function registerKickoff(options: LazyFormsOptions) {
  const { database, crews, sending, documents, clock } = options;
  const owned = new Disposables();
  const forms = owned.add(new LazyForms(options));
  const files = owned.add(
    new LazyRequestFiles({ database, crews, sender: sending, forms, documents, clock }),
  );
  return { forms, files, dispose: () => owned.dispose() };
}
