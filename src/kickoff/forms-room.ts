import type { Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { KickoffForms, type KickoffFormsOptions } from "./form/forms.ts";
import { openPresets } from "./presets/register.ts";
import type { Presets } from "./presets/presets.ts";
import { createFormTools } from "./form/tools.ts";

/** What {@link openFormsRoom} needs. */
export interface FormsRoomOptions extends Omit<KickoffFormsOptions, "tools"> {
  readonly store: Pick<ExecutionStore, "list" | "find">;
}

/** The forms and the presets that they are filled with. */
export interface FormsRoom {
  readonly forms: KickoffForms;
  readonly presets: Presets;
  /** A crew is gone: what was kept of it goes, too. */
  forget(crewId: string): void;
  /** A crew goes by another id now. */
  move(from: Crew, to: Crew): void;
  dispose(): void;
}

/** Opens forms and presets. The module is loaded when it is needed first; most windows start without a form. */
export function openFormsRoom({ store, ...options }: FormsRoomOptions): FormsRoom {
  const presets = openPresets(options.database);
  const forms = new KickoffForms({
    ...options,
    tools: createFormTools({ crews: options.crews, store, presets }),
  });
  return {
    forms,
    presets,
    forget(crewId) {
      forms.forget(crewId);
      presets.forget(crewId);
    },
    move(from, to) {
      void forms
        .move(from, to)
        .catch((error: unknown) =>
          logProblem("Moving a kickoff form to its crew's new address", error),
        );
      if (from.id !== to.id) presets.move(from.id, to.id);
    },
    dispose: () => forms.dispose(),
  };
}
