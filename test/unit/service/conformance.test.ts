import assert from "node:assert/strict";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import type { ApiAnswer } from "../../support/crew-api.ts";
import { crew, harness, inputs, serve } from "./support.ts";
import { vendorSchemas } from "./vendor-schemas.ts";

const ajv = new Ajv({ allErrors: true });
addFormats(ajv, ["uuid"]);

/** Fails unless the vendor describes this status, and the response matches. */
function assertDescribed(operation: keyof typeof vendorSchemas, { status, body }: ApiAnswer): void {
  const schemas: Readonly<Record<number, object>> = vendorSchemas[operation];
  const schema = schemas[status];
  assert.ok(schema, `${operation}: the vendor describes no ${status}`);
  assert.ok(
    ajv.validate(schema, body),
    `${operation} ${status}: ${ajv.errorsText()} in ${JSON.stringify(body)}`,
  );
}

describe("service: answers against the vendor's OpenAPI file", () => {
  let readProject = () => Promise.resolve(crew);
  beforeEach(async () => {
    readProject = () => Promise.resolve(crew);
    await serve({ readProject: () => readProject() });
  });

  const status = async (id: string) => {
    const answer = await harness.request("GET", `/status/${id}`);
    assertDescribed("status", answer);
    return answer;
  };

  it("are valid through a whole execution", async () => {
    assertDescribed("inputs", await harness.request("GET", "/inputs"));
    const kickoff = await harness.request("POST", "/kickoff", { inputs });
    assertDescribed("kickoff", kickoff);
    const { kickoff_id: id } = kickoff.body as { kickoff_id: string };
    await status(id);
    await harness.untilWaiting(id);
    assert.ok("pending_human_input" in ((await status(id)).body as object));
    assertDescribed("resume", await harness.resume(id, false, "again"));
    await harness.untilWaiting(id, 2);
    assertDescribed("resume", await harness.resume(id, true, "good"));
    await harness.untilEnded(id);
    assert.equal(((await status(id)).body as { status: string }).status, "completed");
  });

  it("are valid for an execution that failed", async () => {
    const id = await harness.kickoff({ inputs: { ...inputs, topic: "[rehearse failure]" } });
    assert.match((await harness.untilEnded(id)).error ?? "", /failed because its description/);
    assert.equal(((await status(id)).body as { status: string }).status, "error");
  });

  it("are valid and described for every refusal", async () => {
    const none = { Authorization: "" };
    assertDescribed("inputs", await harness.request("GET", "/inputs", undefined, none));
    assertDescribed("kickoff", await harness.request("POST", "/kickoff", { inputs }, none));
    assertDescribed("kickoff", await harness.request("POST", "/kickoff", "{"));
    assertDescribed("kickoff", await harness.request("POST", "/kickoff", { inputs: {} }));
    assertDescribed("status", await harness.request("GET", "/status/x", undefined, none));
    await status("00000000-0000-4000-8000-000000000000");
    assertDescribed("resume", await harness.resume("x", true, "x", { is_approve: 1 }));
    assertDescribed("resume", await harness.resume("x", true, "x"));
    const id = await harness.kickoff();
    assertDescribed("resume", await harness.resume(id, true, "x", { task_id: "none" }));
    assertDescribed("resume", await harness.resume(id, true, "x", { task_id: "polish" }));
    readProject = () => Promise.reject(new Error("broken"));
    assertDescribed("inputs", await harness.request("GET", "/inputs"));
    assertDescribed("kickoff", await harness.request("POST", "/kickoff", { inputs }));
  });
});
