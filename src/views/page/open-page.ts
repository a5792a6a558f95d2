import type * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Event } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { parseExecutionUri } from "../../editor/execution-uri.ts";
import type { Activity } from "../../executions/activity.ts";
import type { Execution } from "../../executions/model.ts";
import type { Price } from "../../executions/prices.ts";
import { isForWhatWaits, resumesOf } from "../../executions/resumes.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import type { DraftTarget, Drafts } from "../../feedback/drafts.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import { activityIn } from "../activities.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import { renderMissing, type RenderCircumstances } from "../document/render.ts";
import { LivePanel, openLink, runCommand } from "../live-panel.ts";
import { timelineContent, Sent } from "../timeline/content.ts";
import { openDefinition } from "../timeline/definition.ts";
import { timelineTexts } from "../timeline/texts.ts";
import type { FromPage, Place, ToPage } from "./messages.ts";
import { pageModel } from "./model.ts";
import { parseFromPage } from "./parse.ts";
import { pageTexts } from "./texts.ts";

export interface PageParts {
  readonly documents: Pick<ExecutionDocuments, "execution" | "circumstancesOf">;
  readonly store: Pick<ExecutionStore, "events" | "find" | "summary" | "onDidChange">;
  readonly crews: Pick<Crews, "canStop" | "find">;
  readonly feedback: Pick<Feedback, "isSending" | "onDidChangeSending">;
  readonly drafts: Pick<Drafts, "find" | "of" | "keep" | "remove" | "onDidChange">;
  readonly clock: Clock;
  readonly extension: vscode.Uri;
  /** Fires when what may change without the execution has changed. */
  readonly changes: readonly Event<unknown>[];
  /** Resolves when the executions are read. */
  readonly ready: Promise<unknown>;
}

/** The page of an execution in one tab. */
export class OpenPage {
  readonly #tab: vscode.WebviewPanel;
  readonly #panel: LivePanel<FromPage, ToPage>;
  readonly #uri: vscode.Uri;
  readonly #parts: PageParts;
  #place: Place | undefined;
  /** What the page has of the timeline, and what that was made of. */
  readonly #timeline = new Sent();
  #timelineOf: readonly [Activity, readonly Price[] | undefined, boolean] | undefined;
  /** The newest keystroke of this page that is stored. */
  #stored: { readonly target: DraftTarget; readonly number: number } | undefined;

  constructor(panel: vscode.WebviewPanel, uri: vscode.Uri, parts: PageParts) {
    this.#tab = panel;
    this.#uri = uri;
    this.#parts = parts;
    const { store, feedback, drafts, changes, clock, extension, ready } = parts;
    this.#panel = new LivePanel(panel, {
      ...{ page: "page", name: "The page of an execution", pace: 100, clock, extension, ready },
      parse: parseFromPage,
      view: () => this.#view(),
      act: (message) => this.#act(message),
    });
    const events = [store.onDidChange, feedback.onDidChangeSending, drafts.onDidChange, ...changes];
    for (const event of events) this.#panel.own(event(() => this.#panel.changed()));
  }

  /** Now, or when the page has loaded. */
  reveal(place: Place): void {
    this.#place = place;
    if (!this.#panel.isReady) return;
    // It may have begun a moment ago.
    this.#panel.showChange();
    this.#reveal();
  }

  #reveal(): void {
    if (this.#place !== undefined) this.#panel.post({ type: "reveal", place: this.#place });
    this.#place = undefined;
  }

  #view(): ToPage {
    const { documents, store, crews, feedback, drafts } = this.#parts;
    const execution = documents.execution(this.#uri);
    if (execution === undefined) {
      const { crewName = "", key = "" } = parseExecutionUri(this.#uri) ?? {};
      return { type: "missing", text: renderMissing(crewName, key).text };
    }
    // The address keeps the title with which it was opened.
    this.#tab.title = titleOf(execution);
    const target = targetIn(execution);
    const own = this.#stored;
    const isOwn = target !== undefined && own !== undefined && isSame(target, own.target);
    const all = drafts.of(execution.localId);
    const draft = all.find((each) => target !== undefined && isSame(each, target));
    const circumstances = documents.circumstancesOf(execution);
    const activity = activityIn(store, execution);
    this.#showTimeline(execution, activity, circumstances);
    const model = pageModel(execution, activity, {
      ...circumstances,
      canStop: crews.canStop(execution.crew.id),
      isSending: feedback.isSending(execution, execution.waiting?.taskId),
      draft: {
        text: draft?.text ?? "",
        number: Math.max(isOwn ? own.number : 0, draft === undefined ? 0 : Date.parse(draft.at)),
      },
      hasOldDrafts: all.some((draft) => !isForWhatWaits(draft, execution)),
    });
    return { type: "show", model };
  }

  /** Not with each keystroke: it may have 10,000 spans. */
  #showTimeline(
    execution: Execution,
    activity: Activity,
    { prices, isInterrupted = false }: RenderCircumstances = {},
  ): void {
    const made = [activity, prices, isInterrupted] as const;
    if (made.every((each, at) => this.#timelineOf?.[at] === each)) return;
    this.#timelineOf = made;
    const now = this.#parts.clock.now();
    const content = timelineContent(execution, activity, now, prices, isInterrupted);
    this.#panel.post({ type: "timeline", view: this.#timeline.changesIn(content) });
  }

  async #act(message: FromPage): Promise<void> {
    if (message.type === "ready") {
      this.#timeline.clear();
      this.#timelineOf = undefined;
      this.#panel.begin({ type: "texts", texts: pageTexts(), timeline: timelineTexts() });
      this.#reveal();
      return;
    }
    if (message.type === "openLink") return openLink(message.href);
    const execution = this.#parts.documents.execution(this.#uri);
    if (execution === undefined) return;
    switch (message.type) {
      case "draft":
        this.#keep(execution, message);
        return;
      case "answer":
        await this.#answer(execution, message);
        return;
      case "act":
        await runCommand(message.action, execution);
        return;
      case "define":
        await openDefinition(
          this.#parts.crews.find(execution.crew.id)?.local?.folder,
          message.taskId,
        );
        return;
      case "openOutput": {
        const { taskId, attempt } = message;
        const part = taskId === undefined ? { result: true } : { taskId, attempt };
        await runCommand("openOutput", execution, part);
        return;
      }
      case "compare":
        await runCommand("compareAttempts", execution, {
          taskId: message.taskId,
          attempt: message.attempt,
        });
    }
  }

  /** Each keystroke. The kind isn't decided before it is sent. */
  #keep({ localId }: Execution, { taskId, attempt, text, number }: DraftMessage): void {
    const { drafts } = this.#parts;
    const target = { localId, taskId, attempt };
    this.#stored = { target, number };
    const isApprove = drafts.find(target)?.isApprove ?? false;
    const at = new Date(number).toISOString();
    if (text.trim() === "") drafts.remove(target);
    else drafts.keep({ ...target, isApprove, text, at });
  }

  /** By the commands, which ask where that is needed and show what went wrong. */
  async #answer(execution: Execution, { taskId, attempt, kind, text }: AnswerMessage) {
    const { store, drafts } = this.#parts;
    const target = { localId: execution.localId, taskId, attempt };
    const command = kind === "approveWithNote" ? "approve" : kind;
    const feedback = kind === "approve" ? {} : { feedback: text };
    try {
      await runCommand(command, execution, {
        taskId,
        attempt,
        ...feedback,
        isShown: true,
      });
      const current = store.find(execution.localId);
      const sent = current === undefined ? [] : resumesOf(current, target);
      // What may have been sent is shown with the output, and can be sent again there.
      if (sent.some((resume) => resume.feedback.text === text)) drafts.remove(target);
    } finally {
      this.#panel.post({ type: "settled", taskId, attempt });
    }
  }
}

type DraftMessage = Extract<FromPage, { readonly type: "draft" }>;
type AnswerMessage = Extract<FromPage, { readonly type: "answer" }>;

function targetIn({ localId, waiting }: Execution): DraftTarget | undefined {
  return waiting && { localId, taskId: waiting.taskId, attempt: waiting.attempt };
}

function isSame(one: DraftTarget, other: DraftTarget): boolean {
  return one.taskId === other.taskId && one.attempt === other.attempt;
}
