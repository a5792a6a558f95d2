import assert from "node:assert/strict";
import { parseFromPage, webAddress } from "../../../../src/views/page/parse.ts";

describe("A message of the page", () => {
  it("is read with its own members only", () => {
    const target = { taskId: "outline", attempt: 2 };
    const messages = [
      { type: "ready" },
      { type: "draft", ...target, text: "Sho", number: 3 },
      { type: "answer", ...target, kind: "reject", text: "Shorter" },
      { type: "act", action: "stop" },
      { type: "openOutput" },
      { type: "openOutput", ...target },
      { type: "compare", ...target },
      { type: "openLink", href: "https://example.com" },
    ];
    for (const message of messages)
      assert.deepEqual(parseFromPage({ ...message, more: "x" }), message);
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
      { type: "compare", taskId: {}, attempt: 1 },
    ])
      assert.equal(parseFromPage(message), undefined, JSON.stringify(message));
  });

  it("opens only web and mail addresses", () => {
    assert.equal(webAddress("https://tea.example/a b"), "https://tea.example/a%20b");
    assert.equal(webAddress("mailto:tea@example.com"), "mailto:tea@example.com");
    for (const href of [
      "command:workbench.action.quit",
      "vscode://crewdeck.crewdeck/track",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "data:text/html,x",
      "//tea.example",
      "no address",
    ])
      assert.equal(webAddress(href), undefined, href);
  });
});
