import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Event } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { parseExecutionUri } from "../../editor/execution-uri.ts";
import { logProblem } from "../../editor/log.ts";
import { confirm, plainMessage, showError, showStatus } from "../../editor/messages.ts";
import type { Activity } from "../../executions/activity.ts";
import { type Execution, hasEnded } from "../../executions/model.ts";
import type { Price } from "../../executions/tokens.ts";
import { isForWhatWaits, resumesOf, type ResumeTarget } from "../../executions/resumes.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import { beginningOf, type Draft, type Drafts, type DraftTarget } from "../../feedback/drafts.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import { targetOf } from "../../feedback/target.ts";
import { TypedDraft } from "../../feedback/typed-draft.ts";
import { activityIn } from "../activities.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import type { Circumstances } from "../../view/actions.ts";
import { missingText } from "../../view/text.ts";
import { LivePanel, openLink, runCommand } from "../live-panel.ts";
import { Sent, timelineContent } from "../timeline/content.ts";
import { openDefinition } from "../timeline/definition.ts";
import type { FromPage, Place, ToPage } from "./messages.ts";
import { pageModel } from "./model.ts";
import { parseFromPage } from "./parse.ts";

export interface PageParts {
  readonly documents: Pick<ExecutionDocuments, "execution" | "circumstancesOf">;
  readonly store: Pick<ExecutionStore, "events" | "find" | "summary" | "onDidChange">;
  readonly crews: Pick<Crews, "find">;
  readonly feedback: Pick<Feedback, "onDidChangeSending">;
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
  /** The task that a person answers, though the crew reports no pause. */
  #asked: string | undefined;
  /** What the page has of the timeline, and what that was made of. */
  readonly #timeline = new Sent();
  #timelineOf: readonly [Activity, readonly Price[] | undefined, boolean] | undefined;
  readonly #typed: TypedDraft;
  /** On the page that is shown, as JSON. */
  #oldDrafts = "";

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
    const events = [store.onDidChange, feedback.onDidChangeSending, ...changes];
    for (const event of events) this.#panel.own(event(() => this.#panel.changed()));
    this.#typed = new TypedDraft(drafts, clock, (error) => {
      logProblem("Storing a draft", error);
      void showError(error);
    });
    this.#panel.own(this.#typed);
    this.#panel.own(drafts.onDidChange(() => this.#showDraft()));
    this.#panel.own(panel.onDidChangeViewState(() => this.#typed.store()));
  }

  /** The window closes, or the extension is turned off. */
  storeDraft(): void {
    this.#typed.store();
  }

  /** Now, or when the page has loaded. */
  reveal(place: Place, asked?: string): void {
    this.#place = place;
    this.#asked = asked ?? this.#asked;
    if (!this.#panel.isReady) return;
    // What waits may have begun to a moment ago, and a task may be asked for.
    this.#panel.show();
    this.#reveal();
  }

  #reveal(): void {
    if (this.#place !== undefined) this.#panel.post({ type: "reveal", place: this.#place });
    this.#place = undefined;
  }

  #view(): ToPage {
    const { documents, store } = this.#parts;
    const execution = documents.execution(this.#uri);
    if (execution === undefined) {
      const { crewName = "", key = "" } = parseExecutionUri(this.#uri) ?? {};
      return { type: "missing", text: missingText(crewName, key).text };
    }
    // The address keeps the title with which it was opened.
    this.#tab.title = titleOf(execution);
    if (execution.waiting !== undefined) this.#asked = undefined;
    const { target, draft, oldDrafts } = this.#draftsOf(execution);
    this.#oldDrafts = JSON.stringify(oldDrafts);
    const circumstances = documents.circumstancesOf(execution);
    const activity = activityIn(store, execution);
    this.#showTimeline(execution, activity, circumstances);
    const shown = { ...circumstances, target, draft, oldDrafts };
    return { type: "show", model: pageModel(execution, activity, shown) };
  }

  /** The output that waits, or the task that a person answers. */
  #targetIn(execution: Execution, drafts: readonly Draft[]): DraftTarget | undefined {
    const kept = () => drafts.findLast((draft) => isForWhatWaits(draft, execution))?.taskId;
    const asked = hasEnded(execution) ? undefined : (this.#asked ?? kept());
    const taskId = execution.waiting?.taskId ?? asked;
    return taskId === undefined ? undefined : targetOf({ execution, taskId });
  }

  #draftsOf(execution: Execution) {
    const all = this.#parts.drafts.of(execution.localId);
    const target = this.#targetIn(execution, all);
    const draft = all.find((each) => target !== undefined && isSame(each, target));
    const own = target === undefined ? 0 : this.#typed.numberOf(target);
    const number = Math.max(own, draft === undefined ? 0 : Date.parse(draft.at));
    return {
      target,
      draft: { text: draft?.text ?? "", number },
      oldDrafts: all.filter((each) => each !== draft),
    };
  }

  /** Alone: the page has up to 100 kB of each output. */
  #showDraft(): void {
    const execution = this.#panel.isReady ? this.#parts.documents.execution(this.#uri) : undefined;
    const drafts = execution && this.#draftsOf(execution);
    if (drafts?.target === undefined || JSON.stringify(drafts.oldDrafts) !== this.#oldDrafts) {
      this.#panel.changed();
      return;
    }
    const { taskId, attempt } = drafts.target;
    const { text: draft, number: draftNumber } = drafts.draft;
    this.#panel.post({ type: "draft", taskId, attempt, draft, draftNumber });
  }

  /** Not with each change: it may have 10,000 spans. */
  #showTimeline(
    execution: Execution,
    activity: Activity,
    { prices, isInterrupted = false }: Circumstances,
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
      this.#panel.begin();
      this.#reveal();
      return;
    }
    if (message.type === "openLink") return openLink(message.href);
    if (message.type === "leave") {
      this.#typed.store();
      return;
    }
    const execution = this.#parts.documents.execution(this.#uri);
    if (execution === undefined) return;
    switch (message.type) {
      case "draft": {
        const { taskId, attempt, text, number } = message;
        const target = { localId: execution.localId, taskId, attempt };
        this.#typed.typed({ target, text, number });
        return;
      }
      case "answer":
        await this.#answer(execution, message);
        return;
      case "insert":
        await this.#insert(execution, message);
        return;
      case "oldDraft":
        await this.#useOldDraft(execution, message);
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
      case "openPicture":
        await runCommand("openOutput", execution, { picture: message.step });
        return;
      case "compare":
        await runCommand("compareAttempts", execution, {
          taskId: message.taskId,
          attempt: message.attempt,
        });
    }
  }

  /** By the commands, which ask where that is needed and show what went wrong. */
  async #answer(execution: Execution, { taskId, attempt, kind, text }: AnswerMessage) {
    const { store, drafts } = this.#parts;
    const target = { localId: execution.localId, taskId, attempt };
    const command = kind === "approveWithNote" ? "approve" : kind;
    // If it isn't sent, the draft stays.
    this.#typed.store();
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
      if (sent.length === 0) return;
      this.#asked = undefined;
      this.#panel.changed();
    } finally {
      this.#panel.post({ type: "settled", taskId, attempt });
    }
  }

  /** Below what is typed. */
  async #insert({ localId }: Execution, { taskId, attempt }: ResumeTarget): Promise<void> {
    const { askInsertion } = await import("../../feedback/canned.ts");
    const answer = await askInsertion();
    if (answer === undefined) return;
    const target = { localId, taskId, attempt };
    this.#typed.store();
    const above = this.#parts.drafts.find(target)?.text.trimEnd();
    const number = Math.max(this.#parts.clock.now(), this.#typed.numberOf(target) + 1);
    this.#typed.typed({ target, text: above ? `${above}\n\n${answer}` : answer, number });
    this.#typed.store();
    this.reveal("feedback");
  }

  async #useOldDraft(
    { localId }: Execution,
    { action, taskId, attempt }: Extract<FromPage, { readonly type: "oldDraft" }>,
  ): Promise<void> {
    const { drafts } = this.#parts;
    const draft = drafts.find({ localId, taskId, attempt });
    if (draft === undefined) return;
    if (action === "copy") {
      await vscode.env.clipboard.writeText(draft.text);
      showStatus(vscode.l10n.t("The draft is copied."));
      return;
    }
    const question = vscode.l10n.t("Discard this draft?");
    if (await confirm(question, plainMessage(beginningOf(draft)), vscode.l10n.t("Discard")))
      drafts.remove(draft);
  }
}

type AnswerMessage = Extract<FromPage, { readonly type: "answer" }>;

function isSame(one: DraftTarget, other: DraftTarget): boolean {
  return one.taskId === other.taskId && one.attempt === other.attempt;
}
