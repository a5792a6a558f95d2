import { createHmac, timingSafeEqual } from "node:crypto";
import { subjectOf } from "./callbacks.ts";
import { stableId } from "./deliveries.ts";
import type { FlowPause } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { AttemptKey, Execution } from "./model.ts";
import type { Log } from "./operations/log.ts";
import { post } from "./post.ts";

interface FeedbackWebhookOptions {
  readonly url: string;
  /** Signs the requests. */
  readonly secret: string;
  /** The service's own address, for answers. */
  readonly address: () => string;
  readonly timeoutMs: number;
  readonly log: Log;
}

export type FeedbackWebhook = ReturnType<typeof createFeedbackWebhook>;

/** Asks people for feedback about a flow's methods, as the vendor's deployments do (DOCS). */
export function createFeedbackWebhook(options: FeedbackWebhookOptions) {
  const { url, secret, address, timeoutMs, log } = options;
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  /** Nobody can guess it who doesn't know the secret. */
  const pathOf = ({ executionId, taskIndex, attempt }: AttemptKey) => {
    const subject = `${executionId}/${taskIndex}/${attempt}`;
    return `/feedback/${subject}/${sign(`answer ${subject}`)}`;
  };
  return {
    /** Sends it once: what fails is logged, and not repeated. */
    async request(execution: Execution, key: AttemptKey, pause: FlowPause): Promise<void> {
      const { method, message, options: emit, state, metadata } = pause;
      const body = JSON.stringify({
        event: "new_request",
        request: {
          id: stableId("feedback request", ...subjectOf(key)),
          flow_id: execution.id,
          method_name: method,
          message,
          emit_options: emit,
          state,
          metadata,
          created_at: new Date().toISOString(),
        },
        deployment: { id: 0, name: execution.project.name, organization_id: 0 },
        callback_url: address() + pathOf(key),
        assigned_to_email: null,
      });
      const timestamp = String(Math.floor(Date.now() / 1000));
      try {
        const headers = {
          "User-Agent": "crewdeck",
          "X-Timestamp": timestamp,
          "X-Signature": `sha256=${sign(`${timestamp}.${body}`)}`,
        };
        await post(url, headers, body, timeoutMs);
      } catch (error) {
        // The path may be a secret.
        const { origin } = new URL(url);
        log(
          `The request for feedback about "${method}" of execution ${execution.id} did not reach ${origin}: ${messageOf(error)}`,
          { execution_id: execution.id },
        );
      }
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
