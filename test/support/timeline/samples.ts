import type { ActivityEvent } from "../../../src/api/types.ts";
import { notWaiting } from "../../unit/views/executions.ts";
import type { Shown } from "./timeline-window.ts";

/** When the sample executions start (milliseconds since 1970). */
export const start = Date.parse("2026-11-22T09:00:00.000Z");

type Reported = Omit<ActivityEvent, "id" | "type" | "at">;

/** Adds pairs of events; times are seconds after the start. */
export class Events {
  readonly all: ActivityEvent[] = [];

  add(
    stem: string,
    from: number,
    to: number | undefined,
    reported: Reported = {},
    end: Partial<ActivityEvent> = {},
  ): string {
    const id = `${stem} ${this.all.length}`;
    const begun = stem === "human_feedback" ? "requested" : "started";
    const ended = stem === "human_feedback" ? "received" : "completed";
    this.all.push({ id, type: `${stem}_${begun}`, at: start + from * 1000, ...reported });
    if (to !== undefined)
      this.all.push({
        id: `${id} end`,
        startedId: id,
        type: `${stem}_${ended}`,
        at: start + to * 1000,
        ...end,
      });
    return id;
  }
}

/** Three tasks with calls: one was rejected and attempted again, one failed. It ended after 3 min 5 s. Two events took no time. */
export function variedExecution(): Shown {
  const events = new Events();
  const add = events.add.bind(events);
  const call = (parentId: string, from: number, to: number, prompt: number, completion: number) => {
    const tokens = { total: prompt + completion, prompt, completion };
    const text = "I now know what to write.";
    add("llm_call", from, to, { parentId, model: "gpt-5-mini" }, { tokens, text });
  };
  const agent = (parentId: string, from: number, to: number | undefined, name: string) =>
    add("agent_execution", from, to, { parentId, agent: name });
  const outline = (attempt: number) => ({ taskName: "outline", attempt });
  const research = add("task", 1, 21, { taskName: "research" }, { text: "Found a lot." });
  const researcher = agent(research, 1.2, 20.8, "Senior Researcher");
  const of = { parentId: researcher };
  call(researcher, 1.5, 5, 812, 96);
  const search = {
    ...of,
    tool: "web_search",
    arguments: '{"query": "tea in offices", "limit": 10}',
  };
  const found = "1. Tea rooms at work\n2. How to brew for forty people";
  add("tool_usage", 5.2, 9.4, search, { text: found });
  call(researcher, 9.6, 14, 2_640, 210);
  const read = { ...of, tool: "read_page", arguments: '{"url": "https://tea.example/<b>"}' };
  const gone = { type: "tool_usage_error", error: "HTTP 404: the page is gone" };
  add("tool_usage", 14.2, 14.9, read, gone);
  call(researcher, 15.1, 20.6, 3_204, 540);
  const draft = add("task", 21, 48, outline(1), { text: "# Draft" });
  const editor = agent(draft, 21.2, 47.8, "Editor");
  call(editor, 21.5, 47.5, 4_100, 1_220);
  const rejection = { text: "Shorter, please.", isApprove: false };
  add("human_feedback", 48, 130, { ...outline(1), text: "# Draft" }, rejection);
  const again = add("task", 130, 151, outline(2));
  const secondEditor = agent(again, 130.2, 150.8, "Editor");
  call(secondEditor, 130.5, 150.6, 4_480, 700);
  const approval = { text: "Approved.", isApprove: true };
  add("human_feedback", 151, 166, { ...outline(2), text: "# Draft 2" }, approval);
  const failure = { type: "task_failed", error: "The model refused: context length exceeded" };
  const write = add("task", 166, 185, { taskName: "write" }, failure);
  const writer = agent(write, 166.2, undefined, "Writer");
  const failed = { type: "llm_call_failed", error: "context length exceeded" };
  add("llm_call", 166.5, 184.8, { parentId: writer, model: "gpt-5" }, failed);
  const mark = (seconds: number, type: string, reported: Reported) =>
    events.all.push({ id: `mark ${seconds}`, type, at: start + seconds * 1000, ...reported });
  mark(5.1, "agent_logs_execution", {
    parentId: researcher,
    agent: "Senior Researcher",
    thought: "I should search first, <i>then</i> read.",
  });
  mark(16, "memory_query_error", { parentId: researcher, error: "No memory here." });
  return {
    events: events.all,
    execution: notWaiting({
      localId: "varied",
      crew: { id: "local:file:///writers", name: "Writers", url: "http://127.0.0.1:1" },
      label: "tea in the office",
      state: "failed",
      startedAt: new Date(start).toISOString(),
      endedAt: new Date(start + 185_000).toISOString(),
      tasks: [],
    }),
  };
}

/** One task that still runs, after its first call. @param now of the extension host */
export function runningExecution(now: number): Shown {
  const events = new Events();
  const ago = (now - start) / 1000;
  const task = events.add("task", ago - 8, undefined, { taskName: "research" });
  const named = { parentId: task, agent: "Researcher" };
  const parentId = events.add("agent_execution", ago - 8, undefined, named);
  const tokens = { total: 120 };
  events.add("llm_call", ago - 7, ago - 4, { parentId, model: "gpt-5" }, { tokens });
  events.add("tool_usage", ago - 3, undefined, { parentId, tool: "web_search" });
  return {
    now,
    events: events.all,
    execution: notWaiting({
      localId: "running",
      label: "coffee",
      state: "running",
      startedAt: new Date(now - 8_000).toISOString(),
      tasks: [],
    }),
  };
}

/** @param calls how many calls of a model and a tool each, in ten tasks */
export function longExecution(calls: number): Shown {
  const events = new Events();
  const tasks = 10;
  for (let task = 0; task < tasks; task++) {
    const each = calls / tasks;
    const from = task * each * 2;
    const parentId = events.add("task", from, from + each * 2, { taskName: `task_${task + 1}` });
    for (let call = 0; call < each; call++) {
      const at = from + call * 2;
      const tokens = { total: 100 + call };
      events.add("llm_call", at, at + 1, { parentId, model: "gpt-5" }, { tokens });
      const given = { parentId, tool: "search", arguments: `{"page": ${call}}` };
      events.add("tool_usage", at + 1, at + 2, given);
    }
  }
  return {
    events: events.all,
    execution: notWaiting({
      localId: "long",
      label: "a long one",
      state: "completed",
      startedAt: new Date(start).toISOString(),
      endedAt: new Date(start + calls * 2_000).toISOString(),
      tasks: [],
    }),
  };
}
