import * as l10n from "@vscode/l10n";
import { readOptions } from "../api/read-status.ts";
import {
  asObject,
  defined,
  idAt,
  isObject,
  parseJson,
  readable,
  textAt,
  type UnknownObject,
  laidOutJson,
} from "../base/json.ts";
import { oneLine, shortened, shortName, fenceFor } from "../base/text.ts";
import type { ReceivedRequest } from "../executions/flow-requests.ts";

/** A flow's webhook that asks a person. */
export interface AskedPerson {
  readonly request: ReceivedRequest;
  /** The IDs of the flow and its execution that the webhook names; the flow's own is first. */
  readonly ids: readonly string[];
  /** Names the execution in lists, if Crewdeck doesn't track it yet. */
  readonly label: string;
}

/** How much of each part a person is shown (characters). */
const longest = { message: 100_000, output: 200_000, state: 100_000, label: 60 };

/** Reads a flow's webhook. Undefined if it asks for no feedback, or has no ID or no address for the answer. */
export function readFlowRequest(body: string): AskedPerson | undefined {
  const payload = asObject(parseJson(body));
  const request = asObject(payload["request"]);
  const id = idAt(request, "id", "request_id");
  const callbackUrl =
    textAt(payload, "callback_url", "callbackUrl") ?? textAt(request, "callback_url");
  if (id === undefined || callbackUrl === undefined) return undefined;
  const event = textAt(payload, "event");
  if (event !== undefined && event !== "new_request") return undefined;
  const method = textAt(request, "method_name", "methodName") ?? "human_feedback";
  const message = textAt(request, "message") ?? "";
  return {
    request: {
      ...{ id, taskId: method, callbackUrl },
      options: readOptions(request),
      output: outputOf(request, message),
      ...defined({ assignedTo: assigneeOf(payload) }),
    },
    ids: idsOf(request, id),
    label: oneLine(message, longest.label) || shortName(method),
  };
}

function assigneeOf(payload: UnknownObject): string | undefined {
  const email = textAt(payload, "assigned_to_email", "assignedToEmail");
  return email === undefined ? undefined : shortName(email);
}

/** In a flow's state, `id` is the ID of the flow, which is also that of its execution. */
function idsOf(request: UnknownObject, requestId: string): readonly string[] {
  const [state, metadata] = [asObject(request["state"]), asObject(request["metadata"])];
  const ids = [
    idAt(request, "flow_id", "flowId"),
    ...[request, metadata].map((part) => idAt(part, "kickoff_id", "execution_id")),
    idAt(state, "id"),
  ].filter((id) => id !== undefined);
  return ids.length === 0 ? [requestId] : [...new Set(ids)];
}

/** Markdown: the message, what the method returned, and the flow's state. */
function outputOf(request: UnknownObject, message: string): string {
  const output = readable(request["method_output"] ?? request["output"]);
  const [state, metadata] = [request["state"], request["metadata"]];
  return [
    shortened(message, longest.message),
    output !== undefined && shortened(output, longest.output),
    hasMembers(state) && jsonPart(l10n.t("State"), state),
    hasMembers(metadata) && jsonPart(l10n.t("Metadata"), metadata),
  ]
    .filter((part) => part !== false && part !== "")
    .join("\n\n");
}

function hasMembers(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function jsonPart(heading: string, value: unknown): string {
  const json = shortened(laidOutJson(value), longest.state);
  const fence = fenceFor(json);
  return `**${heading}**\n\n${fence}json\n${json}\n${fence}`;
}
