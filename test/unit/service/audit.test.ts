import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { hashOf, tokensOf, type Token } from "../../../src/service/server/tokens.ts";
import { harness, inputs, onPostgres, openHarness, restart, serve } from "./support.ts";

const token = (bearer: string, kind: Token["kind"], name: string): Token => ({
  ...{ kind, name, crews: "all", hash: hashOf(bearer) },
});
const tokens = tokensOf([
  token("T", "organization", ""),
  token("C", "organization", "ci at night"),
  token("A", "user", "ada"),
]);

interface Act {
  readonly at: string;
  readonly action: string;
  readonly by: { readonly type: string; readonly name?: string };
  readonly task_id?: string;
  readonly attempt?: number;
  readonly feedback?: string;
  readonly output_sha256?: string;
}

const as = (token: string) => ({ Authorization: `Bearer ${token}` });

async function auditOf(id: string): Promise<readonly Act[]> {
  const { status, body, headers } = await harness.request("GET", `/executions/${id}/audit`);
  assert.equal(status, 200);
  assert.equal(headers.get("Content-Type"), "application/x-ndjson");
  return String(body)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Act);
}

function actsOf(audit: readonly Act[]): readonly string[] {
  return audit.map(({ action, by: { type, name = "" }, task_id = "", attempt = "" }) =>
    [action, type, name, task_id, attempt].join(" ").replace(/ +/g, " ").trim(),
  );
}

describe("service: the audit of an execution", () => {
  it("has who started it, who decided about which text, and who stopped it, also in its status", async () => {
    await serve({ tokens });
    const id = await harness.kickoff({ inputs }, "A");
    const first = await harness.untilWaiting(id);
    const resume = (is_approve: boolean, token: string) =>
      harness.request(
        "POST",
        "/resume",
        { execution_id: id, task_id: "draft", human_feedback: "Shorter", is_approve },
        as(token),
      );
    assert.equal((await resume(false, "C")).status, 200);
    await harness.untilWaiting(id, 2);
    assert.equal((await resume(true, "A")).status, 200);
    await harness.untilEnded(id);
    const audit = await auditOf(id);
    assert.deepEqual(actsOf(audit), [
      "kickoff user ada",
      "reject organization ci at night draft 1",
      "approve user ada draft 2",
    ]);
    const [kickoff, rejected] = audit;
    assert.ok(Date.parse(kickoff?.at ?? "") <= Date.parse(rejected?.at ?? ""));
    assert.equal(rejected?.feedback, "Shorter");
    const output = first.pending_human_input?.task_output ?? "";
    const hash = createHash("sha256").update(output).digest("hex");
    assert.equal(rejected.output_sha256, hash);
    const { decisions = [] } = (await harness.status(id)) as { decisions?: readonly Act[] };
    const { feedback, ...shown } = rejected;
    assert.deepEqual([decisions.length, decisions[0], feedback], [2, shown, "Shorter"]);

    const stopped = await harness.kickoffUntilWaiting();
    await harness.request("POST", `/stop/${stopped}`, undefined, as("C"));
    assert.deepEqual(actsOf(await auditOf(stopped)), [
      "kickoff organization",
      "stop organization ci at night",
    ]);
  });

  it("is only for the organization's token, and for known executions", async () => {
    await serve({ tokens });
    const id = await harness.kickoff({ inputs }, "A");
    const statusFor = async (token: string, of: string) =>
      (await harness.request("GET", `/executions/${of}/audit`, undefined, as(token))).status;
    assert.deepEqual(
      [await statusFor("A", id), await statusFor("C", id), await statusFor("C", "none")],
      [403, 200, 404],
    );
  });

  // On Postgres, other processes continue it.
  if (!onPostgres)
    it("has who let it continue after a restart, and who discarded it", async () => {
      const engine = { ...rehearsalEngine(0), costsMoney: true };
      openHarness({ engine });
      const [continued, discarded] = [await harness.kickoff(), await harness.kickoff()];
      await restart({ engine });
      await harness.service.decide("continue", [continued]);
      await harness.service.decide("discard", [discarded]);
      const start = "kickoff organization";
      assert.deepEqual(actsOf(await auditOf(continued)), [start, "continue organization"]);
      assert.deepEqual(actsOf(await auditOf(discarded)), [start, "stop organization"]);
    });

  it("can't be changed: the database refuses it", async () => {
    await serve();
    const id = await harness.complete();
    const before = await auditOf(id);
    for (const change of [
      "UPDATE audit SET actor = 'user eve' RETURNING 1",
      "DELETE FROM audit RETURNING 1",
      "UPDATE executions SET owner = 'user eve' RETURNING 1",
      "UPDATE executions SET created_at = 0 RETURNING 1",
      ...(onPostgres ? ["TRUNCATE audit"] : []),
    ])
      await assert.rejects(harness.sql(change), /What the audit shows is never changed\./, change);
    assert.deepEqual(await auditOf(id), before);
  });
});
