import assert from "node:assert/strict";
import * as v from "valibot";
import type { InputField, KickoffRequest } from "../../../src/api/types.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { ErrorAction } from "../../../src/base/errors.ts";
import { handle } from "../../../src/base/protocol.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Prefill } from "../../../src/kickoff/callbacks.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import {
  type Draft,
  type FormView,
  fromForm,
  type Note,
  type ShownForm,
  type Taken,
  type ToForm,
  type ToolName,
} from "../../../src/kickoff/form/messages.ts";
import { type FormCrew, type FormHost, FormSession } from "../../../src/kickoff/form/session.ts";
import { keptValues } from "../../../src/kickoff/form/values.ts";
import { anExecution } from "../../unit/executions/samples.ts";

const crew: FormCrew = {
  id: "url:https://travel.test",
  name: "Travel",
  url: "https://travel.test",
};

/** A form's session; VS Code's part is simulated and records what the form does. */
export class TestForm implements FormHost {
  readonly session: FormSession;
  readonly clock: Clock;
  readonly views: FormView[] = [];
  readonly saved: Draft[] = [];
  readonly last: Draft[] = [];
  readonly sent: KickoffRequest[] = [];
  readonly localIds: string[] = [];
  readonly debugged: boolean[] = [];
  readonly started: Execution[] = [];
  readonly opened: (Execution | undefined)[] = [];
  readonly acted: ErrorAction[] = [];
  readonly late: unknown[] = [];
  readonly problems: unknown[] = [];
  /** The tools that were called, in order, with what they got. */
  readonly asked: (readonly [ToolName, Prefill | undefined])[] = [];
  /** Whether writing to disk succeeds. */
  keeps = true;
  inputs: FormHost["inputs"];
  start: () => Promise<Execution> = () => Promise.resolve(anExecution());
  /** What "Fill In From…" returns, for the whole form and for a field. */
  chosen: Prefill | undefined;
  taken: Promise<Taken | undefined> = Promise.resolve(undefined);

  constructor(
    clock: Clock,
    fields: readonly InputField[],
    seed: Seed = {},
    options: { readonly takesFocus?: boolean } = {},
  ) {
    this.clock = clock;
    this.inputs = () => Promise.resolve({ fields });
    this.session = new FormSession(crew, seed, this, options);
  }

  /** Gives the session what its page sent, as the panel does. False if that is invalid. */
  receive(raw: unknown): boolean {
    const message = v.safeParse(fromForm, raw);
    if (message.success)
      new Promise((resolve) => resolve(handle(this.session.on, message.output))).catch(
        (error: unknown) => this.problems.push(error),
      );
    return message.success;
  }

  readonly memory: FormHost["memory"] = {
    saveDraft: (_, draft) => void this.saved.push({ ...draft, values: keptValues(draft.values) }),
    sent: (_, draft) => void this.last.push(draft),
    keeps: () => this.keeps,
  };

  readonly send: FormHost["send"] = (request, localId, isDebugged) => {
    this.debugged.push(isDebugged);
    this.sent.push(request);
    this.localIds.push(localId);
    return this.start();
  };

  post(message: ToForm): void {
    this.views.push(message.view);
  }

  readonly isReady = () => true;
  readonly fillIn = () => this.#use("fillIn", undefined).then(() => this.chosen);
  readonly takeValue = () => this.taken;
  saveValues = (_: FormCrew, values: Prefill) => this.#use("saveValues", values);
  openAsRequestFile = (_: FormCrew, values: Prefill) => this.#use("openAsRequestFile", values);
  copyAsCurl = (_: FormCrew, values: Prefill) => this.#use("copyAsCurl", values);
  readonly onStarted = (execution: Execution) => void this.started.push(execution);
  readonly openExecution = (execution: Execution | undefined) => this.opened.push(execution);
  readonly runAction = (action: ErrorAction) => this.acted.push(action);
  readonly onLateProblem = (error: unknown) => void this.late.push(error);

  get form(): ShownForm {
    const shown = this.views.at(-1);
    assert.ok(shown?.form !== undefined, JSON.stringify(shown));
    return shown.form;
  }

  /** What the form said last beside its fields. */
  note(kind: Note["kind"]): Note | undefined {
    return this.views.at(-1)?.notes.find((note) => note.kind === kind);
  }

  #use(tool: ToolName, values: Prefill | undefined): Promise<void> {
    this.asked.push([tool, values]);
    return Promise.resolve();
  }
}
