import type { Page } from "playwright-core";
import type { InputField } from "../../../src/api/types.ts";
import { systemClock } from "../../../src/base/clock.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import type { ToForm } from "../../../src/kickoff/form/messages.ts";
import type { FormHost } from "../../../src/kickoff/form/session.ts";
import { BuiltPage } from "../built-page.ts";
import { TestForm } from "./test-form.ts";

/** The kickoff form in its own page: the built page, script and style with the real session; VS Code's part is simulated. */
export class FormWindow extends TestForm {
  readonly #built: BuiltPage;

  private constructor(built: BuiltPage, options: FormWindowOptions) {
    const { fields = [{ name: "topic" }], seed = {}, inputs, start } = options;
    super(systemClock, fields, seed);
    this.#built = built;
    if (inputs !== undefined) this.inputs = inputs;
    if (start !== undefined) this.start = start;
  }

  /** Opens the form and waits until it shows the crew's inputs. */
  static async open(options: FormWindowOptions): Promise<FormWindow> {
    const built = await BuiltPage.open({ name: "form", ...options });
    const window = new FormWindow(built, options);
    await built.load((message) => window.receive(message));
    void window.session.load({ fresh: false, startsCrew: false });
    return window;
  }

  override post(message: ToForm): void {
    super.post(message);
    void this.#built.post(message);
  }

  /** Replaces the page as VS Code does when a panel is hidden and shown again: only the kept state remains. */
  async hideAndShow(): Promise<void> {
    await this.page.reload();
  }

  async setTheme(theme: string): Promise<void> {
    await this.#built.setTheme(theme);
  }

  async close(): Promise<void> {
    // What it shows after a pause must not reach the next test's page. A kickoff may never end.
    void this.session.close();
    await this.#built.close();
  }

  get page(): Page {
    return this.#built.page;
  }

  get complaints(): string[] {
    return this.#built.complaints;
  }

  override receive(message: unknown): boolean {
    const isValid = super.receive(message);
    if (!isValid) this.complaints.push(`not understood: ${JSON.stringify(message)}`);
    return isValid;
  }
}

export interface FormWindowOptions {
  /** Of the crew; one called “topic” if not given. */
  readonly fields?: readonly InputField[];
  readonly inputs?: FormHost["inputs"];
  /** Starts an execution if not given. */
  readonly start?: () => Promise<Execution>;
  readonly seed?: Seed;
  readonly theme?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly translations?: Readonly<Record<string, string>>;
}
