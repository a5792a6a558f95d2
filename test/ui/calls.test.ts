import assert from "node:assert/strict";
import { callModel } from "../../src/views/page/calls.ts";
import { aKeptCall } from "../support/page/call-samples.ts";
import { PageWindow } from "../support/page/page-window.ts";
import { aRichExecution, someEvents } from "../support/page/samples.ts";
import { waitFor } from "../support/wait.ts";
import { violationsIn } from "./accessibility.ts";

describe("The calls on the page of an execution", () => {
  const window = new PageWindow();
  const { button, sent } = window;

  it("shows what was said in a call that its timeline leads to, and asks for it then", async () => {
    const page = await window.open({ execution: aRichExecution(), events: someEvents() });
    await page.getByRole("heading", { name: "Timeline" }).click();
    const asked = () => sent.filter(({ type }) => type === "call");
    assert.deepEqual(asked(), []);
    await page
      .getByRole("treeitem", { name: /^Model call gpt-4o-mini/ })
      .last()
      .click();
    await waitFor("the question", () => asked().length > 0);
    assert.deepEqual(asked(), [{ type: "call", span: "m3" }]);
    const body = aKeptCall();
    const span = { id: "m3", kind: "model", name: "gpt-4o-mini", depth: 2 } as const;
    const last = () => Promise.resolve(body);
    const call = { span: { ...span, start: 0, state: "completed" as const }, body, last };
    await window.post({ type: "call", span: "m3", call: callModel(call, []) });
    const steps = page.locator(".steps");
    await steps.getByText("442 tokens (410 in, 32 out) · ended with “stop”").waitFor();
    for (const text of ["Current Task: Name two teas.", "Assam: 4 minutes", "# Two teas"])
      assert.ok(await steps.getByText(text).isVisible(), text);
    const system = steps.getByText("You are Researcher on tea.");
    assert.equal(await system.count(), 0);
    await steps.getByText("system").click();
    await system.waitFor();
    await button("What Changed Since the Last Call").click();
    assert.deepEqual(sent.at(-1), { type: "call", span: "m3", action: "compareCalls" });
    // Wide code scrolls there.
    await page.setViewportSize({ width: 420, height: 800 });
    assert.deepEqual(await violationsIn(window), []);
  });

  it("has the thought before a call of a tool, also when what was said is read", async () => {
    const at = someEvents().find(({ id }) => id === "u1")!.at - 1;
    const log = { id: "log", type: "agent_logs_execution", parentId: "t1", at };
    const events = [...someEvents(), { ...log, thought: "I need two teas." }];
    const page = await window.open({ execution: aRichExecution(), events });
    await window.post({ type: "reveal", place: { spanId: "u1", takesFocus: true } });
    const steps = page.locator(".steps");
    await steps.getByText("Sencha: 2 minutes").waitFor();
    const span = { id: "u1", kind: "tool", name: "lookup", depth: 2, start: 0 } as const;
    const body = { kind: "tool", request: { topic: "tea" }, response: "Both, in full" };
    const call = callModel({ span: { ...span, state: "completed" as const }, body }, []);
    await window.post({ type: "call", span: "u1", call });
    await steps.getByText("Both, in full").waitFor();
    assert.ok(await steps.getByText("I need two teas.").isVisible());
    assert.equal(await steps.getByText("Sencha: 2 minutes").count(), 0);
  });
});
