import { digest } from "../base/bearer.ts";
import { defined } from "../base/json.ts";
import { integer, text } from "../base/sqlite.ts";
import { insert, rows, type Work } from "./database/database.ts";
import type { Attempt, Execution, Owner } from "./model.ts";

/** Who did something: a token, or whoever has a feedback request. */
export type Actor = Owner | "webhook";

type Decided = Pick<Attempt, "taskId" | "attempt" | "output">;

interface Act {
  readonly action: "approve" | "reject" | "answer" | "stop" | "continue";
  readonly actor: Actor;
  readonly at: number;
  readonly decision?: { readonly attempt: Decided; readonly feedback: string };
}

/** Part of the change that the act makes. The database refuses to change it later. */
export function* note(executionId: string, { action, actor, at, decision }: Act): Work<void> {
  const { taskId, attempt, output } = decision?.attempt ?? {};
  yield* insert("audit", {
    ...{ execution_id: executionId, at, action, actor },
    ...(decision && {
      ...defined({ task_id: taskId, attempt, feedback: decision.feedback }),
      output_sha256: digest(output ?? "").toString("hex"),
    }),
  });
}

export type AuditEntry = ReturnType<typeof entryOf> & {
  readonly task_id?: string;
  readonly attempt?: number;
  readonly feedback?: string;
  readonly output_sha256?: string;
};

export function* auditOf({ id, owner, createdAt }: Execution): Work<readonly AuditEntry[]> {
  const acts = yield* rows("SELECT * FROM audit WHERE execution_id = ? ORDER BY rowid", id);
  return [
    entryOf("kickoff", owner, createdAt),
    ...acts.map((act) => ({
      ...entryOf(text(act, "action"), text(act, "actor"), integer(act, "at")),
      ...(act["attempt"] !== null && {
        task_id: text(act, "task_id"),
        attempt: integer(act, "attempt"),
        feedback: text(act, "feedback"),
        output_sha256: text(act, "output_sha256"),
      }),
    })),
  ];
}

function entryOf(action: string, actor: string, at: number) {
  const [kind = "", ...name] = actor.split(" ");
  const type = { bearer: "organization", userBearer: "user" }[kind] ?? kind;
  const by = { type, ...(name.length > 0 && { name: name.join(" ") }) };
  return { at: new Date(at).toISOString(), action, by };
}
