import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import * as vscode from "vscode";
import { systemClock, type Clock } from "../../src/base/clock.ts";
import type { ResumeAnswer, ResumeRequest, StatusReading } from "../../src/api/types.ts";
import type { ExecutionSummary } from "../../src/executions/model.ts";
import { Drafts } from "../../src/executions/drafts.ts";
import { answerVerbs, feedbackOf } from "../../src/actions/answer.ts";
import type { Circumstances } from "../../src/view/actions.ts";
import { type FeedbackToSend, sendFeedback } from "../../src/sending/feedback.ts";
import { ExecutionDocuments } from "../../src/views/document/documents.ts";
import { registerDocuments } from "../../src/views/document/register.ts";
import { temporaryFolder } from "../support/folders.ts";
import { noAnswer, openWindow, senderParts } from "../unit/sending/window.ts";
import { anExecution } from "../unit/views/executions.ts";
import { crewsOf, targetsIn } from "./execution-parts.ts";
import { closeEditors, codeLensesIn } from "./extension.ts";

let count = 0;

/** Documents and lenses with their own store and scheme, separate from the extension's, and a crew without a network. */
export function viewParts(clock: Clock = systemClock) {
  const scheme = `crew-test-${process.pid}-${count++}`;
  const folder = temporaryFolder("views");
  const problems: string[] = [];
  let hasEnded = false;
  const onProblem = (message: string) => {
    // Reading the folder can fail after it was removed.
    if (!hasEnded) problems.push(message);
  };
  const window = openWindow(folder, systemClock, onProblem);
  const { database, store } = window;
  const crew = {
    status: (): Promise<StatusReading> =>
      Promise.resolve({
        state: "unknown",
        stateText: "NOT FOUND",
        ended: false,
        tasks: [],
      }),
    resume: (): Promise<ResumeAnswer> =>
      Promise.resolve({ status: "resumed", message: "Continues." }),
  };
  const sent: ResumeRequest[] = [];
  /** Which tasks the page was opened at, or at its box. */
  const reviewed: string[] = [];
  const parts = {
    ...senderParts(window, { clock, problem: onProblem }),
    crews: {
      client: () =>
        Promise.resolve({
          answerRequest: noAnswer,
          status: () => crew.status(),
          resume: (request: ResumeRequest) => {
            sent.push(request);
            return crew.resume();
          },
        }),
    },
  };
  const doubts = new Map<string, string>();
  const doubted = new vscode.EventEmitter<undefined>();
  const left = new Set<string>();
  const documents = new ExecutionDocuments({
    store,
    crews: { find: () => undefined },
    ready: Promise.resolve(),
    circumstances: {
      onDidChange: doubted.event,
      of: (execution): Circumstances => {
        const text = doubts.get(execution.localId);
        return {
          doubt: text === undefined ? undefined : { short: "", text, isLasting: true },
        };
      },
    },
    scheme,
  });
  const show = (execution: ExecutionSummary, taskId?: string) => documents.show(execution, taskId);
  const drafts = new Drafts(database, onProblem);
  const answering = {
    drafts,
    sending: { giveFeedback: (given: FeedbackToSend) => sendFeedback(parts, given) },
    documents,
    page: {
      isLeft: (uri: vscode.Uri) => left.has(uri.toString()),
      reveal: ({ localId }: ExecutionSummary, place: unknown, taskId = "") => {
        reviewed.push(
          `${localId} ${taskId} ${place === "feedback" ? "in its box" : "at the task"}`,
        );
        return Promise.resolve();
      },
    },
    crews: crewsOf(anExecution().crew),
    clock,
  } satisfies Parameters<typeof feedbackOf>[0];
  const registered = [
    registerDocuments(documents, [store.onDidChange], scheme),
    documents,
    drafts,
    window,
  ];
  return {
    folder,
    crew,
    sent,
    problems,
    scheme,
    database,
    store,
    left,
    /** Why an execution's state may be out of date; without a text, it no longer may. */
    doubt(localId: string, text?: string): void {
      if (text === undefined) doubts.delete(localId);
      else doubts.set(localId, text);
      doubted.fire(undefined);
    },
    documents,
    drafts,
    feedback: feedbackOf(answering),
    verbs: answerVerbs({ ...answering, targets: targetsIn(store) }),
    reviewed,
    show,
    async dispose(): Promise<void> {
      await closeEditors();
      hasEnded = true;
      for (const part of registered) part.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type ViewParts = ReturnType<typeof viewParts>;

/** Gives each test its own parts, disposes them afterwards, and fails on any reported problem. */
export function eachWithViewParts(
  take: (parts: ViewParts) => void,
  newClock: () => Clock = () => systemClock,
): void {
  let parts: ViewParts;

  beforeEach(() => {
    parts = viewParts(newClock());
    take(parts);
  });

  afterEach(async () => {
    await parts.dispose();
    assert.deepEqual(parts.problems, []);
  });
}

/** The lenses of a document that have a command, without their icons. */
export async function lensesOf(
  document: vscode.TextDocument,
): Promise<
  readonly { readonly title: string; readonly tooltip: string | undefined; readonly line: number }[]
> {
  const lenses = await codeLensesIn(document.uri);
  return lenses.flatMap(({ command, range }) =>
    command === undefined
      ? []
      : [
          {
            title: command.title.replace(/^\$\([\w-]+\)\s/, ""),
            tooltip: command.tooltip,
            line: range.start.line,
          },
        ],
  );
}
