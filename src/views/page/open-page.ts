import * as v from "valibot";
import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Event } from "../../base/events.ts";
import { defined } from "../../base/json.ts";
import type { Handlers, MessageOf } from "../../base/protocol.ts";
import { oneLine, shortName } from "../../base/text.ts";
import type { Crews } from "../../crews/crews.ts";
import { askBeforeTool } from "../../crews/settings.ts";
import { parseUri } from "../../editor/execution-uri.ts";
import { logProblem } from "../../editor/log.ts";
import { confirm, plainLabel, plainMessage, showError, showStatus } from "../../editor/messages.ts";
import { Panel } from "../../editor/panel.ts";
import { type Activity, activityIn } from "../../executions/activity.ts";
import { type Drafts, type DraftTarget, typedDraft } from "../../executions/drafts.ts";
import { type Execution, hasEnded, targetOf } from "../../executions/model.ts";
import { attemptToAnswer, isAt, isForWhatWaits, resumesOf } from "../../executions/resumes.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { titleOf } from "../../executions/title.ts";
import type { Price } from "../../executions/tokens.ts";
import type { Act, Circumstances } from "../../view/actions.ts";
import { missingText } from "../../view/text.ts";
import type { ExecutionDocuments } from "../document/documents.ts";
import { openDefinition, openFile } from "../from-page.ts";
import { timelineContent } from "../timeline/content.ts";
import { callModel, readCall, textsOf } from "./calls.ts";
import { fromPage, type FromPage, type Place, type ToPage } from "./messages.ts";
import { pageModel } from "./model.ts";

export interface PageParts {
  readonly documents: ExecutionDocuments;
  readonly store: ExecutionStore;
  readonly crews: Pick<Crews, "client" | "find" | "ready">;
  readonly drafts: Drafts;
  readonly clock: Clock;
  readonly act: Act;
  readonly extension: vscode.Uri;
  readonly onDidChange: Event<unknown>;
  readonly ready: Promise<unknown>;
}

const callScheme = "crewdeck-call";

export class OpenPage {
  readonly #tab: vscode.WebviewPanel;
  readonly #panel: Panel<FromPage, ToPage>;
  readonly #uri: vscode.Uri;
  readonly #parts: PageParts;
  readonly #typed: ReturnType<typeof typedDraft>;
  readonly #callTexts = new Map<string, string>();
  #place: Place | undefined;
  /** The task that a person answers, though the crew reports no pause. */
  #asked: string | undefined;
  #timelineOf: readonly [Activity, readonly Price[] | undefined, boolean] | undefined;

  constructor(tab: vscode.WebviewPanel, uri: vscode.Uri, parts: PageParts) {
    this.#tab = tab;
    this.#uri = uri;
    this.#parts = parts;
    const { store, drafts, onDidChange, clock, extension, ready } = parts;
    this.#typed = typedDraft(drafts, clock, (error) => {
      logProblem("Storing a draft", error);
      void showError(error);
    });
    this.#panel = new Panel(tab, {
      ...{ part: "page", title: tab.title, clock, extension, ready },
      messages: fromPage,
      on: this.#handlers(),
      view: () => this.#view(),
    });
    this.#panel.own(store.onDidChange(() => this.#panel.changed()));
    this.#panel.own(onDidChange(() => this.#panel.changed()));
    this.#panel.own(this.#typed);
    this.#panel.own(
      vscode.workspace.registerTextDocumentContentProvider(callScheme, {
        provideTextDocumentContent: (address) => this.#callTexts.get(address.toString()),
      }),
    );
    this.#panel.own(drafts.onDidChange(() => this.#showDrafts()));
    this.#panel.own(tab.onDidChangeViewState(() => this.#typed.store()));
  }

  storeDraft(): void {
    this.#typed.store();
  }

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

  #execution(): Execution | undefined {
    const { documents, store } = this.#parts;
    const summary = documents.summary(this.#uri);
    return summary && store.find(summary.localId);
  }

  #view(): ToPage {
    const { documents, store } = this.#parts;
    const execution = this.#execution();
    if (execution === undefined) {
      const { crewName = "", key = "" } = parseUri(this.#uri)?.address ?? {};
      return { type: "missing", text: missingText(crewName, key).text };
    }
    // The address keeps the title with which it was opened.
    this.#tab.title = titleOf(execution);
    if (execution.waiting !== undefined) this.#asked = undefined;
    const circumstances = documents.circumstancesOf(execution);
    const activity = activityIn(store, execution);
    const model = pageModel(execution, activity, {
      ...circumstances,
      target: this.#postDrafts(execution),
    });
    const timeline = this.#newTimeline(execution, activity, circumstances);
    return { type: "show", model, ...defined({ timeline }) };
  }

  #postDrafts(execution: Execution): DraftTarget | undefined {
    const all = this.#parts.drafts.of(execution.localId);
    const kept = all.findLast((draft) => isForWhatWaits(draft, execution))?.taskId;
    const asked = hasEnded(execution) ? undefined : (this.#asked ?? kept);
    const taskId = execution.waiting?.taskId ?? asked;
    const target =
      taskId === undefined
        ? undefined
        : { localId: execution.localId, taskId, attempt: attemptToAnswer(execution, taskId) };
    const draft = target && all.find((each) => isAt(each, target));
    const old = all.filter((each) => each !== draft);
    const stored = draft === undefined ? 0 : Date.parse(draft.at);
    const current = target && {
      ...target,
      text: draft?.text ?? "",
      number: Math.max(this.#typed.numberOf(target), stored),
    };
    this.#panel.post({ type: "drafts", drafts: { old, ...defined({ current }) } });
    return target;
  }

  /** Alone if possible: the page has up to 100 kB of each output. */
  #showDrafts(): void {
    const execution = this.#panel.isReady ? this.#execution() : undefined;
    if (execution?.waiting === undefined) this.#panel.changed();
    else this.#postDrafts(execution);
  }

  #newTimeline(execution: Execution, activity: Activity, circumstances: Circumstances) {
    const { prices, isInterrupted = false } = circumstances;
    const made = [activity, prices, isInterrupted] as const;
    if (made.every((each, at) => this.#timelineOf?.[at] === each)) return undefined;
    this.#timelineOf = made;
    return timelineContent(execution, activity, this.#parts.clock.now(), circumstances);
  }

  #handlers(): Handlers<FromPage> {
    const { crews, act } = this.#parts;
    const folderOf = (crewId: string) => crews.find(crewId)?.local?.folder;
    const on =
      <Sent>(handle: (execution: Execution, sent: Sent) => unknown) =>
      async (sent: Sent) => {
        const execution = this.#execution();
        if (execution !== undefined) await handle(execution, sent);
      };
    return {
      ready: () => {
        this.#timelineOf = undefined;
        this.#panel.begin();
        this.#reveal();
      },
      // VS Code asks before it opens an address that the person doesn't trust yet.
      openLink: ({ href }) => vscode.env.openExternal(vscode.Uri.parse(href, true)),
      leave: () => this.#typed.store(),
      draft: on(({ localId }, { taskId, attempt, text, number }) =>
        this.#typed.typed({ target: { localId, taskId, attempt }, text, number }),
      ),
      answer: on((execution, answer) => this.#answer(execution, answer)),
      call: on((execution, sent) => this.#onCall(execution, sent)),
      insert: on(({ localId }, { taskId, attempt }) => this.#insert({ localId, taskId, attempt })),
      discardDraft: on(async ({ localId }, { taskId, attempt }) => {
        const { drafts } = this.#parts;
        const draft = drafts.find({ localId, taskId, attempt });
        if (draft === undefined) return;
        const question = vscode.l10n.t("Discard this draft?");
        const detail = plainMessage(shortName(draft.text));
        if (await confirm(question, detail, vscode.l10n.t("Discard"))) drafts.remove(draft);
      }),
      act: on((execution, { action, ...more }) => act(action, { ...targetOf(execution), ...more })),
      define: on(({ crew }, { taskId }) => openDefinition(folderOf(crew.id), taskId)),
      openFile: on(({ crew }, place) => openFile(folderOf(crew.id), place)),
      askBefore: async ({ tool }) => {
        await askBeforeTool(tool);
        const said = vscode.l10n.t("Calls of “{0}” wait for you from the next kickoff on.", tool);
        void vscode.window.showInformationMessage(plainMessage(said));
      },
      openEarlier: on(({ crew, request }) =>
        act("openExecution", { crew: crew.id, kickoffId: request?.runAgain?.executionId }),
      ),
    };
  }

  async #onCall(execution: Execution, { span: id, action }: MessageOf<FromPage, "call">) {
    const { crews, store, documents } = this.#parts;
    const { spans } = activityIn(store, execution);
    const span = spans.find((each) => each.id === id);
    if (span === undefined) return;
    const call = await readCall(crews, execution, spans, span);
    if (action === undefined) {
      const { prices = [] } = documents.circumstancesOf(execution);
      this.#panel.post({ type: "call", span: id, call: callModel(call, prices) });
      return;
    }
    const texts = await textsOf(action, call);
    if (action === "compareCalls") {
      const uris = texts.map((text, at) => {
        const path = at === 0 ? "/last call.md" : "/call.md";
        const uri = vscode.Uri.from({ scheme: callScheme, path, query: id });
        this.#callTexts.set(uri.toString(), text);
        return uri;
      });
      const title = vscode.l10n.t("{0}: since the last call", shortName(span.agent ?? span.name));
      await vscode.commands.executeCommand("vscode.diff", ...uris, title);
    } else {
      await vscode.env.clipboard.writeText(texts.join("\n"));
      showStatus(vscode.l10n.t("The call is copied."));
    }
  }

  /** By the commands, which ask where that is needed and show what went wrong. */
  async #answer(
    execution: Execution,
    { taskId, attempt, kind, text, isForRun }: MessageOf<FromPage, "answer">,
  ) {
    const { store, drafts, act } = this.#parts;
    const target = { localId: execution.localId, taskId, attempt };
    // If it isn't sent, the draft stays.
    this.#typed.store();
    try {
      const more = defined({ isForRun });
      await act(kind, { ...targetOf(execution), taskId, attempt, feedback: text, ...more });
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

  async #insert(target: DraftTarget): Promise<void> {
    const answer = await askInsertion();
    if (answer === undefined) return;
    this.#typed.store();
    const above = this.#parts.drafts.find(target)?.text.trimEnd();
    const number = Math.max(this.#parts.clock.now(), this.#typed.numberOf(target) + 1);
    this.#typed.typed({ target, text: above ? `${above}\n\n${answer}` : answer, number });
    this.#typed.store();
    this.reveal("feedback");
  }
}

const filled = v.pipe(v.string(), v.regex(/\S/));
const cannedAnswer = v.union([filled, v.object({ text: filled, label: v.optional(filled) })]);

async function askInsertion(): Promise<string | undefined> {
  const set: unknown = vscode.workspace.getConfiguration("crewdeck").get("feedback.cannedAnswers");
  const answers = (Array.isArray(set) ? set : []).flatMap((each) => {
    const read = v.safeParse(cannedAnswer, each);
    return read.success ? [read.output] : [];
  });
  if (answers.length === 0) {
    const query = "@id:crewdeck.feedback.cannedAnswers";
    await vscode.commands.executeCommand("workbench.action.openSettings", query);
    return undefined;
  }
  const items = answers.map((answer) => {
    const { text, label } = typeof answer === "string" ? { text: answer } : answer;
    const line = plainLabel(oneLine(text));
    return label === undefined
      ? { label: line, text }
      : { label: plainLabel(oneLine(label)), detail: line, text };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Insert into your feedback"),
    placeHolder: vscode.l10n.t("Inserted below your text; nothing is sent yet"),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return chosen?.text;
}
