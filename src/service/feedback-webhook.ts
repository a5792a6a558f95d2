import { createHmac, timingSafeEqual } from "node:crypto";
import { subjectOf } from "./callbacks.ts";
import type { Work } from "./database/database.ts";
import { stableId, type Deliveries } from "./deliveries.ts";
import type { FlowPause } from "./engine.ts";
import type { AttemptKey, Execution } from "./model.ts";

export type FeedbackWebhook = ReturnType<typeof createFeedbackWebhook>;

/** Asks people for feedback about a flow's methods, as the vendor's deployments do (DOCS). */
export function createFeedbackWebhook({
  url,
  secret,
  address,
}: Readonly<Record<"url" | "secret", string>> & { readonly address: () => string }) {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  /** Nobody can guess it who doesn't know the secret. */
  const pathOf = ({ executionId, taskIndex, attempt }: AttemptKey) => {
    const subject = `${executionId}/${taskIndex}/${attempt}`;
    return `/feedback/${subject}/${sign(`answer ${subject}`)}`;
  };
  return {
    *request(
      execution: Execution,
      key: AttemptKey,
      pause: FlowPause,
      deliveries: Pick<Deliveries, "add">,
    ): Work<void> {
      const { method, message, options: emit, state, metadata } = pause;
      const id = stableId("feedback request", ...subjectOf(key));
      yield* deliveries.add(
        id,
        execution.id,
        "feedback_request",
        { url },
        {
          event: "new_request",
          request: {
            id,
            flow_id: execution.id,
            method_name: method,
            message,
            emit_options: emit && [...emit],
            state,
            metadata,
            created_at: new Date().toISOString(),
          },
          deployment: { id: 0, name: execution.project.name, organization_id: 0 },
          callback_url: address() + pathOf(key),
          assigned_to_email: null,
        },
      );
    },

    headersFor: (body: string): Record<string, string> => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      return {
        "X-Timestamp": timestamp,
        "X-Signature": `sha256=${sign(`${timestamp}.${body}`)}`,
      };
    },

    /** The attempt that an answer is for; undefined for a path that was never sent. */
    attemptAt(path: string): AttemptKey | undefined {
      const [, , executionId = "", taskIndex = "", attempt = ""] = path.split("/");
      const key = { executionId, taskIndex: Number(taskIndex), attempt: Number(attempt) };
      const [given, expected] = [Buffer.from(path), Buffer.from(pathOf(key))];
      return given.length === expected.length && timingSafeEqual(given, expected) ? key : undefined;
    },
  };
}
