import assert from "node:assert/strict";
import * as vscode from "vscode";
import { systemClock } from "../../src/base/clock.ts";
import type { CrewInputs } from "../../src/api/types.ts";
import type { Crew } from "../../src/crews/types.ts";
import { type KickoffForms, kickoffForms } from "../../src/kickoff/form/forms.ts";
import type { FormView, FromForm, Note, ToForm } from "../../src/kickoff/form/messages.ts";
import { senderParts } from "../unit/sending/window.ts";
import type { ViewParts } from "./view-parts.ts";

/** The forms of a crew with one input, which send nothing. */
export function formsOf(
  { database, store, documents }: ViewParts,
  crew: Crew,
  canReach: () => boolean,
  inputs: () => Promise<CrewInputs> = () => Promise.resolve({ fields: [{ name: "topic" }] }),
  testCallbacks: (crewId: string) => unknown = () => assert.fail("a test of callbacks"),
): KickoffForms {
  return kickoffForms({
    ...{ database, store, documents, clock: systemClock },
    context: {
      extensionUri: vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionUri,
      globalStorageUri: vscode.Uri.joinPath(vscode.Uri.file(database.files[0]), ".."),
    },
    crews: {
      get: () => crew,
      find: () => crew,
      ready: () => Promise.resolve(crew),
      inputs,
      onDidChange: new vscode.EventEmitter<void>().event,
    },
    sending: {
      outbox: senderParts({ database, store }).outbox,
      send: () => Promise.reject(new Error("Not sent")),
    },
    callbacks: () => Promise.resolve({ canReach: () => Promise.resolve(canReach()) }),
    debug: () => Promise.reject(new Error("No debugger.")),
    testCallbacks,
  });
}

/** A form that comes back with its window, with what its page gets, and a way to send what its page sends. */
export function restoredForm(...given: Parameters<typeof formsOf>) {
  const [, crew] = given;
  const forms = formsOf(...given);
  const panel = vscode.window.createWebviewPanel("test.form", "Form", vscode.ViewColumn.Active);
  const { webview } = panel;
  const views: FormView[] = [];
  const page = new vscode.EventEmitter<unknown>();
  Object.assign(webview, {
    onDidReceiveMessage: page.event,
    postMessage: (message: ToForm) => Promise.resolve(views.push(message.view) > 0),
  });
  forms.restore(panel, { crew: crew.id, name: crew.name });
  page.fire({ type: "ready" });
  // VS Code loads a hidden page again when it is shown.
  panel.onDidChangeViewState(() => panel.visible && page.fire({ type: "ready" }));
  const view = () => views.at(-1);
  const note = (kind: Note["kind"]) => view()?.notes.find((each) => each.kind === kind);
  const press = (title: string) => page.fire({ type: "act", kind: "hint", title });
  const send = (message: FromForm) => page.fire(message);
  return { forms, view, note, press, send, panel };
}
