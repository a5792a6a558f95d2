import assert from "node:assert/strict";
import * as v from "valibot";
import { fromPage } from "../../../../src/views/page/messages.ts";

describe("A message of the page", () => {
  it("is read with its own members only", () => {
    const target = { taskId: "outline", attempt: 2 };
    const messages = [
      { type: "ready" },
      { type: "draft", ...target, text: "Sho", number: 3 },
      { type: "answer", ...target, kind: "reject", text: "Shorter" },
      { type: "act", action: "stop" },
      { type: "act", action: "openOutput", result: true },
      { type: "act", action: "compareAttempts", ...target },
      { type: "openLink", href: "https://example.com" },
    ];
    for (const message of messages)
      assert.deepEqual(v.parse(fromPage, { ...message, more: "x" }), message);
  });

  it("is ignored if it is anything else", () => {
    const target = { taskId: "outline", attempt: 2 };
    for (const message of [
      undefined,
      "ready",
      { type: "act", action: "deleteLocalData" },
      { type: "act", action: "workbench.action.quit" },
      { type: "answer", ...target, kind: "approved", text: "" },
      { type: "answer", ...target, attempt: 0, kind: "reject", text: "" },
      { type: "answer", ...target, attempt: 1.5, kind: "reject", text: "" },
      { type: "draft", ...target, text: 7, number: 1 },
      { type: "draft", ...target, text: "", number: "1" },
      { type: "openLink" },
      { type: "act", action: "openOutput", taskId: {}, attempt: 1 },
    ])
      assert.ok(!v.is(fromPage, message), JSON.stringify(message));
  });

  it("opens only web and mail addresses", () => {
    const isOpened = (href: string) => v.is(fromPage, { type: "openLink", href });
    for (const href of ["https://tea.example/a b", "mailto:tea@example.com"])
      assert.ok(isOpened(href), href);
    for (const href of [
      "command:workbench.action.quit",
      "vscode://crewdeck.crewdeck/track",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "data:text/html,x",
      "//tea.example",
      "no address",
    ])
      assert.ok(!isOpened(href), href);
  });
});
