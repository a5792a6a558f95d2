import assert from "node:assert/strict";
import type { Engine, TaskAttempt } from "../../../src/service/engine.ts";
import type { CallbackReceiver } from "../../support/callback-receiver.ts";
import { waitFor } from "../../support/wait.ts";
import { callbacksTo, crew, harness, inputs, openReceiver, serve, valuesOf } from "./support.ts";

/** The crew without a review. */
const unattended = { ...crew, tasks: crew.tasks.map((task) => ({ ...task, humanInput: false })) };

describe("service: as the specification says", () => {
  beforeEach(() => serve());

  it("answers JSON on every endpoint, also for errors, and has no page for a browser", async () => {
    const id = await harness.kickoffUntilWaiting();
    const answers = [
      await harness.request("GET", "/inputs"),
      await harness.request("POST", "/kickoff", { inputs }),
      await harness.request("GET", `/${id}/status`),
      await harness.resume(id, true, ""),
      await harness.request("POST", "/kickoff", "{"),
      await harness.request("GET", "/inputs", undefined, { Authorization: "" }),
      await harness.request("GET", "/", undefined, { Accept: "text/html" }),
      await harness.request("POST", "/kickoff", { inputs: {} }),
    ];
    assert.deepEqual(valuesOf(answers, "status"), [200, 200, 200, 200, 400, 401, 404, 422]);
    for (const { headers, status } of answers)
      assert.match(headers.get("Content-Type") ?? "", /^application\/json\b/, String(status));
  });

  it("starts a crew without inputs, but requires the member `inputs`", async () => {
    await serve({ project: { ...unattended, inputs: [] } });
    assert.deepEqual((await harness.request("GET", "/inputs")).body, { inputs: [] });
    assert.equal((await harness.request("POST", "/kickoff", {})).status, 422);
    assert.equal(
      (await harness.untilEnded(await harness.kickoff({ inputs: {} }))).status,
      "completed",
    );
  });

  it("requires each of the four members of a resume with its type, and valid addresses", async () => {
    const id = await harness.kickoffUntilWaiting();
    for (const name of ["execution_id", "task_id", "human_feedback", "is_approve"]) {
      for (const value of [undefined, null, 5, {}]) {
        const { status, body } = await harness.resume(id, true, "x", { [name]: value });
        assert.equal(status, 400, `${name}: ${JSON.stringify(value)}`);
        assert.match((body as { message: string }).message, new RegExp(name));
      }
    }
    for (const name of ["taskWebhookUrl", "stepWebhookUrl", "crewWebhookUrl"]) {
      for (const value of ["nowhere", "ftp://example.com", 5])
        assert.equal((await harness.resume(id, true, "x", { [name]: value })).status, 400, name);
    }
    assert.equal(
      (await harness.status(id)).pending_human_input?.attempt,
      1,
      "a refused resume changed something",
    );
    assert.equal((await harness.resume(id, true, "x")).status, 200);
  });

  it("answers a resume with a status and a message, and nothing else", async () => {
    await serve({
      project: {
        ...crew,
        tasks: crew.tasks.map((task) => ({ ...task, humanInput: task.id !== "research" })),
      },
    });
    const id = await harness.kickoffUntilWaiting();
    const answers = [await harness.resume(id, false, "again")];
    await harness.untilWaiting(id, 2);
    answers.push(await harness.resume(id, true, "good"));
    await waitFor(
      "the last task to wait",
      async () => (await harness.status(id)).pending_human_input?.task_id === "polish",
    );
    answers.push(await harness.resume(id, true, "good", { task_id: "polish" }));
    assert.deepEqual(
      answers.map(({ body }) => body),
      [
        { status: "retrying", message: "Task will be retried with your feedback" },
        { status: "resumed", message: "Execution resumed successfully" },
        { status: "completed", message: "Execution completed" },
      ],
    );
  });

  it("repeats only the rejected task, and gives the feedback to every later attempt", async () => {
    const attempts: TaskAttempt[] = [];
    const engine: Engine = {
      name: "noting",
      run: (attempt) => Promise.resolve({ output: `output ${attempts.push(attempt)}` }),
    };
    await serve({ engine });
    const id = await harness.kickoffUntilWaiting();
    await harness.reject(id, 2, "Shorter.");
    await harness.approve(id, "Good.");
    assert.deepEqual(
      attempts.map(({ task, attempt, notes }) => [
        task.id,
        attempt,
        notes.map(({ feedback }) => feedback),
      ]),
      [
        ["research", 1, []],
        ["draft", 1, []],
        ["draft", 2, ["Shorter."]],
        ["polish", 1, ["Shorter.", "Good."]],
      ],
    );
  });

  describe("sends callbacks", () => {
    let receiver: CallbackReceiver;
    let base: string;
    let gates: (() => void)[];
    let isOver: boolean;
    beforeEach(async () => {
      gates = [];
      isOver = false;
      receiver = await openReceiver();
      base = receiver.url;
    });
    afterEach(() => {
      // After a failed test a waiting engine would keep the service from closing.
      isOver = true;
      for (const open of gates) open();
    });

    const gate = () => new Promise<void>((resolve) => (isOver ? resolve() : gates.push(resolve)));

    const addresses = (prefix: string) => callbacksTo(base + prefix);
    const counts = (prefix: string) =>
      ["/task", "/step", "/crew"].map((path) => receiver.at(prefix + path).length);

    it("by POST: after each step, after each task and after the end, and not before", async () => {
      const engine: Engine = {
        name: "held",
        run: async ({ task }, report) => {
          await gate();
          await report.step({
            prompt: task.id,
            thought: "So.",
            tool: null,
            toolInput: null,
            result: task.id,
          });
          await gate();
          return { output: task.id };
        },
      };
      await serve({ engine, project: unattended });
      const methods = new Set<string | undefined>();
      receiver.behave = (response) => {
        methods.add(response.req.method);
        response.writeHead(204).end();
      };
      const id = await harness.kickoff({ inputs, ...addresses("") });
      for (let done = 0; done < 3; done++) {
        await waitFor("a task to begin", () => gates.length === 2 * done + 1);
        await waitFor(`${done} task callbacks`, () => counts("")[0] === done);
        assert.deepEqual(counts(""), [done, done, 0]);
        gates.at(-1)?.();
        await waitFor("the step callback", () => counts("")[1] === done + 1);
        assert.deepEqual(counts(""), [done, done + 1, 0]);
        gates.at(-1)?.();
      }
      await waitFor("the crew callback", () => counts("")[2] === 1);
      assert.equal(receiver.at("/crew")[0]?.body["kickoff_id"], id);
      assert.equal((await harness.status(id)).status, "completed");
      await waitFor("the last task callback", () => counts("")[0] === 3);
      assert.deepEqual([counts(""), [...methods]], [[3, 3, 1], ["POST"]]);
    });
  });
});
