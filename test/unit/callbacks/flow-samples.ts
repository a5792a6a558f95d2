import { createHmac } from "node:crypto";
import type { Delivery } from "../../../src/callbacks/routes.ts";

export const secret = "whsec_4f1d";

export function aRequest(changes: object = {}, outside: object = {}): object {
  return {
    event: "new_request",
    request: {
      id: "request-1",
      flow_id: "flow-1",
      method_name: "review_article",
      message: "Please review this article.",
      emit_options: ["approved", "rejected", "request_changes"],
      state: { id: "flow-1", title: "Otters" },
      metadata: {},
      created_at: "2026-10-21T12:00:00Z",
      ...changes,
    },
    deployment: { id: 456, name: "Articles", organization_id: 789 },
    callback_url: "https://app.crew.test/callback/abc",
    assigned_to_email: "ada@crew.test",
    ...outside,
  };
}

/** Signed at a time (milliseconds since 1970) with a secret. */
export function signed(
  path: string,
  payload: object | string,
  at: number,
  by: string = secret,
): Delivery {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const timestamp = String(Math.floor(at / 1000));
  const hex = createHmac("sha256", by).update(`${timestamp}.${text}`).digest("hex");
  return {
    path,
    headers: { "x-timestamp": timestamp, "x-signature": `sha256=${hex}` },
    body: new TextEncoder().encode(text),
  };
}
