import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import * as v from "valibot";
import type { ActivityEvent } from "../../../src/api/types.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { fromPage, type FromPage, type ToPage } from "../../../src/views/page/messages.ts";
import { pageModel, type PageCircumstances } from "../../../src/views/page/model.ts";
import { timelineContent } from "../../../src/views/timeline/content.ts";
import { BuiltPage, eachWithPage, type BuiltPageOptions } from "../built-page.ts";

interface PageWindowOptions extends Omit<BuiltPageOptions, "name"> {
  readonly execution: Execution;
  readonly events?: readonly ActivityEvent[];
  readonly circumstances?: Partial<PageCircumstances>;
}

/** An execution's built page with the real model; VS Code's part is simulated. */
export class PageWindow {
  #built: BuiltPage | undefined;
  #messages: readonly ToPage[] = [];
  /** What the page sent, understood as the extension host does. */
  readonly sent: FromPage[] = [];

  constructor() {
    eachWithPage(() => this.#built);
  }

  /** Changes the theme of the open page, as VS Code does. */
  async setTheme(theme: string): Promise<void> {
    await this.#built?.setTheme(theme);
  }

  async open(options: PageWindowOptions): Promise<Page> {
    this.sent.splice(0);
    this.#messages = messagesOf(options);
    this.#built = await BuiltPage.open({ ...options, name: "page" });
    await this.#built.load((raw) => this.#receive(raw));
    await this.page.locator("h1").waitFor();
    return this.page;
  }

  get page(): Page {
    assert.ok(this.#built !== undefined, "the test has opened a page");
    return this.#built.page;
  }

  /** Shows a later state. */
  async show(options: PageWindowOptions): Promise<void> {
    this.later(options);
    for (const part of this.#messages) await this.post(part);
  }

  /** What is shown after the next reload. */
  later(options: PageWindowOptions): void {
    this.#messages = messagesOf(options);
  }

  async post(message: ToPage): Promise<void> {
    await this.#built?.post(message);
  }

  readonly button = (name: string): Locator => this.page.getByRole("button", { name, exact: true });
  readonly feedback = (): Locator => this.page.getByRole("textbox", { name: "Feedback" });

  #receive(raw: unknown): void {
    const message = v.parse(fromPage, raw);
    this.sent.push(message);
    if (message.type !== "ready") return;
    for (const part of this.#messages) void this.post(part);
  }
}

function messagesOf(options: PageWindowOptions): readonly ToPage[] {
  const { execution, events = [], circumstances } = options;
  const activity = activityOf(execution, { events, folded: {} });
  const model = pageModel(execution, activity, { canStop: true, ...circumstances });
  return [
    {
      type: "timeline",
      view: timelineContent(execution, activity, Date.now(), circumstances?.prices),
    },
    { type: "show", model },
  ];
}
