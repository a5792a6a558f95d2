import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { systemClock } from "../../../src/base/clock.ts";
import type { CrewInputs, InputField, KickoffRequest } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import type {
  Draft,
  FormCrew,
  FormToolName,
  Taken,
  ToForm,
} from "../../../src/kickoff/form/messages.ts";
import { keptDraft } from "../../../src/kickoff/form/secrets.ts";
import { FormSession } from "../../../src/kickoff/form/session.ts";
import type { Prefill } from "../../../src/kickoff/callbacks.ts";
import type { Position } from "../../../src/projects/types.ts";
import { anExecution } from "../../unit/executions/samples.ts";
import { BuiltPage } from "../built-page.ts";
import { receive } from "./receive.ts";

/** The kickoff form in its own page: the built page, script and style with the real session; VS Code's part is simulated. */
export class FormWindow {
  readonly session: FormSession;
  readonly sent: KickoffRequest[] = [];
  /** What was written to disk. */
  readonly saved: Draft[] = [];
  readonly started: Execution[] = [];
  readonly opened: (Execution | undefined)[] = [];
  /** Whether writing to disk succeeds. */
  keeps = true;
  inputs: () => Promise<CrewInputs>;
  send: () => Promise<Execution>;
  /** The tools that were called, in order, with their arguments. */
  readonly asked: (readonly [FormToolName, Prefill | undefined])[] = [];
  /** What "Fill In From…" returns for the whole form. */
  chosen: Prefill | undefined;
  /** What "Fill In From…" returns for a field. */
  taken: Promise<Taken | undefined> = Promise.resolve(undefined);
  readonly problems: unknown[] = [];
  /** The links of the hint about callbacks that were pressed. */
  readonly hinted: string[] = [];
  /** Of the project's files, that were asked for. */
  readonly places: Position[] = [];
  readonly #built: BuiltPage;

  private constructor(built: BuiltPage, crew: FormCrew, options: FormWindowOptions) {
    this.#built = built;
    const { fields = [{ name: "topic" }] } = options;
    this.inputs = options.inputs ?? (() => Promise.resolve({ fields }));
    this.send = options.send ?? (() => Promise.resolve(anExecution()));
    this.session = new FormSession(crew, options.seed ?? {}, {
      clock: systemClock,
      takesFocus: true,
      newId: randomUUID,
      memory: {
        saveDraft: (_, draft) => this.saved.push(keptDraft(draft)),
        dropDraft: () => undefined,
        sent: () => undefined,
        keeps: () => this.keeps,
      },
      inputs: () => this.inputs(),
      send: (request) => {
        this.sent.push(request);
        return this.send();
      },
      post: (message) => void this.#post(message),
      onStarted: (execution) => this.started.push(execution),
      onOpenExecution: (execution) => this.opened.push(execution),
      tools: {
        fillIn: () =>
          Promise.resolve(this.asked.push(["fillIn", undefined])).then(() => this.chosen),
        saveValues: (_, request) => Promise.resolve(void this.asked.push(["saveValues", request])),
        openAsRequestFile: (_, request) =>
          Promise.resolve(void this.asked.push(["openAsRequestFile", request])),
        copyAsCurl: (_, request) => Promise.resolve(void this.asked.push(["copyAsCurl", request])),
        takeValue: () => this.taken,
      },
      onToolProblem: (error) => this.problems.push(error),
      onAction: () => undefined,
      onHint: (what) => this.hinted.push(what),
      onLateProblem: () => undefined,
      showPlace: (at) => Promise.resolve(void this.places.push(at)),
    });
  }

  /** Opens the form and waits until it shows the crew's inputs. */
  static async open(options: FormWindowOptions): Promise<FormWindow> {
    const crew = {
      id: "url:https://travel.example",
      name: "Travel crew",
      url: "https://travel.example",
      ...options.crew,
    };
    const built = await BuiltPage.open({ name: "form", ...options });
    const window = new FormWindow(built, crew, options);
    await built.load((message) => window.#receive(message));
    void window.session.load({ fresh: false, startsCrew: false });
    return window;
  }

  /** Replaces the page as VS Code does when a panel is hidden and shown again: only the kept state remains. */
  async hideAndShow(): Promise<void> {
    await this.page.reload();
  }

  async setTheme(theme: string): Promise<void> {
    await this.#built.setTheme(theme);
  }

  async close(): Promise<void> {
    await this.#built.close();
  }

  get page(): Page {
    return this.#built.page;
  }

  get complaints(): string[] {
    return this.#built.complaints;
  }

  #receive(message: unknown): void {
    if (!receive(this.session, message))
      this.complaints.push(`not understood: ${JSON.stringify(message)}`);
  }

  async #post(message: ToForm): Promise<void> {
    await this.#built.post(message);
  }
}

/** What a form is opened with. */
export interface FormWindowOptions {
  /** Of the crew; one called “topic” if not given. */
  readonly fields?: readonly InputField[];
  readonly inputs?: () => Promise<CrewInputs>;
  /** Starts an execution if not given. */
  readonly send?: () => Promise<Execution>;
  readonly seed?: Seed;
  readonly theme?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly crew?: Partial<FormCrew>;
  readonly translations?: Readonly<Record<string, string>>;
}
