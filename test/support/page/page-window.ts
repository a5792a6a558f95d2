import type { Locator, Page } from "playwright-core";
import type { ActivityEvent } from "../../../src/api/types.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import type { Execution } from "../../../src/executions/model.ts";
import {
  fromPage,
  type FromPage,
  type PageDrafts,
  type ToPage,
} from "../../../src/views/page/messages.ts";
import { pageModel, type PageCircumstances } from "../../../src/views/page/model.ts";
import { timelineContent } from "../../../src/views/timeline/content.ts";
import type { BuiltPageOptions } from "../built-page.ts";
import { PartWindow } from "../part-window.ts";

interface PageWindowOptions extends Omit<BuiltPageOptions, "name"> {
  readonly execution: Execution;
  readonly events?: readonly ActivityEvent[];
  readonly circumstances?: Partial<PageCircumstances>;
  readonly drafts?: PageDrafts;
}

export class PageWindow extends PartWindow<FromPage, ToPage> {
  constructor() {
    super("page", fromPage);
  }

  async open(options: PageWindowOptions): Promise<Page> {
    await this.begin(messagesOf(options), options);
    await this.page.locator("h1").waitFor();
    return this.page;
  }

  async show(options: PageWindowOptions): Promise<void> {
    await this.showAll(messagesOf(options));
  }

  /** What is shown after the next reload. */
  later(options: PageWindowOptions): void {
    this.keep(messagesOf(options));
  }

  readonly button = (name: string): Locator => this.page.getByRole("button", { name, exact: true });
  readonly feedback = (): Locator => this.page.getByRole("textbox", { name: "Feedback" });
}

function messagesOf(options: PageWindowOptions): readonly ToPage[] {
  const { execution, events = [], circumstances, drafts = { old: [] } } = options;
  const activity = activityOf(execution, { events, left: 0 });
  const model = pageModel(execution, activity, { canStop: true, ...circumstances });
  return [
    { type: "drafts", drafts },
    {
      type: "show",
      model,
      timeline: timelineContent(execution, activity, Date.now(), circumstances),
    },
  ];
}
