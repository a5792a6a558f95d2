import assert from "node:assert/strict";
import { errorOfAnswer, readErrorBody } from "../../src/api/problems.ts";
import { CrewApiError } from "../../src/api/errors.ts";
import {
  readEvent,
  readEventCount,
  readEvents,
  readUsage,
  timeOf,
} from "../../src/api/read-events.ts";
import { readInputs } from "../../src/api/read-inputs.ts";
import { readOptions, readQuestion, readStatus } from "../../src/api/read-status.ts";
import { readKickoff, readResume, readStop } from "../../src/api/client.ts";
import { secretsIn } from "../../src/api/transport.ts";
import { asObject, type JsonValue, readable } from "../../src/base/json.ts";
import { readFlowRequest } from "../../src/callbacks/flow-webhooks.ts";
import { readPasted, readPayload } from "../../src/callbacks/payload.ts";
import { readSmee } from "../../src/callbacks/relay-client.ts";
import { activityOf } from "../../src/executions/activity.ts";
import { withTimes } from "../../src/executions/times.ts";
import { requestReceived } from "../../src/executions/flow-requests.ts";
import { applyReport } from "../../src/executions/callback-report.ts";
import type { Execution } from "../../src/executions/model.ts";
import { readExecution, writeExecution } from "../../src/executions/record.ts";
import { applyReading } from "../../src/executions/reduce.ts";
import { ApiError } from "../../src/service/errors.ts";
import * as service from "../../src/service/requests.ts";
import { bundleOf } from "../../src/views/export/bundle.ts";
import { HostileJson } from "../support/hostile-json.ts";
import { anExecution, START } from "./executions/samples.ts";

const files = [
  ...["problems", "read-events", "read-inputs", "read-status", "client"].map(
    (name) => `src/api/${name}.ts`,
  ),
  ...["payload", "flow-webhooks", "relay-client"].map((name) => `src/callbacks/${name}.ts`),
  "src/service/requests.ts",
];

/** All that read what a crew, a relay or a client sends. */
const readers: Readonly<Record<string, (value: unknown, text: string) => unknown>> = {
  readErrorBody: (_, text) => readErrorBody(text),
  readEvent,
  readEvents: (value) => readEvents([value]),
  readEventCount: (value) => readEventCount(asObject(value)),
  readUsage,
  timeOf,
  readInputs,
  readOptions: (value) => readOptions(asObject(value)),
  readQuestion: (value) => readQuestion(asObject(value)),
  readStatus,
  readKickoff,
  readResume,
  readStop,
  secretsIn: (value) => secretsIn(value),
  readable,
  readFlowRequest: (_, text) => readFlowRequest(text),
  readPasted: (_, text) => readPasted(text, START),
  readPayload: (value) => readPayload(value, "key", START),
  readSmee: (_, text) => readSmee(text),
};

describe("what a crew sends", () => {
  it("is read without an error, whatever it is", () => {
    const json = new HostileJson(1, files);
    for (let count = 0; count < 5_000; count++) {
      const value = json.next();
      const text = JSON.stringify(value);
      for (const [name, read] of Object.entries(readers))
        try {
          read(value, text);
        } catch (error) {
          assert.fail(`${name} throws ${String(error)} for ${text}`);
        }
    }
  });

  it("never makes a refusal look as if the kickoff may have started", () => {
    const json = new HostileJson(2, files);
    for (let count = 0; count < 500; count++) {
      const text = JSON.stringify(json.next());
      const asked = { method: "POST", path: "/kickoff" } as const;
      const error = errorOfAnswer(asked, 422, "", text);
      assert.ok(error instanceof CrewApiError && error.sent === "no", text);
      assert.notEqual(error.message, "");
    }
  });

  it("changes an execution that can still be stored, read and shown", () => {
    const json = new HostileJson(3, files);
    let execution: Execution = anExecution();
    for (let count = 0; count < 300; count++) {
      const value = json.next();
      const { report, events } = readPayload(value, "key", START);
      const asked = readFlowRequest(JSON.stringify(value));
      // Each tenth begins anew, because an ended execution hardly changes.
      let next = count % 10 === 0 ? anExecution() : execution;
      next = applyReading(
        next,
        readStatus({ ...asObject(value), state: "running" }),
        START + count,
      );
      next = applyReading(next, readStatus(value), START + count);
      if (report !== undefined) next = applyReport(next, report, START + count);
      if (asked !== undefined) next = requestReceived(next, asked.request, START + count);
      const kept = { events: [...events, ...readEvents([value])], left: 0 };
      execution = readExecution(writeExecution(withTimes(next, activityOf(next, kept))));
      const shown = bundleOf(execution, activityOf(execution, kept), {}, START);
      assert.ok(shown.length >= 2);
    }
  });

  it("to a service is refused with words", () => {
    const json = new HostileJson(4, files);
    for (let count = 0; count < 500; count++) {
      const value = json.next() as JsonValue;
      for (const read of [service.readResume, service.readFeedback])
        try {
          read(value);
        } catch (error) {
          assert.ok(error instanceof ApiError, String(error));
        }
    }
  });
});
