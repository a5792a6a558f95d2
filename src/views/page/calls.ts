import * as l10n from "@vscode/l10n";
import { CrewApiError } from "../../api/errors.ts";
import type { CrewClient } from "../../api/client.ts";
import { type KeptCall, readUsage } from "../../api/read-events.ts";
import { messageOf } from "../../base/errors.ts";
import { defined, laidOutJson, textAt, type UnknownObject } from "../../base/json.ts";
import { plainName, shortName } from "../../base/text.ts";
import type { Span } from "../../executions/activity.ts";
import { type CrewRef, type Execution, isLocalCrew } from "../../executions/model.ts";
import type { Price } from "../../executions/tokens.ts";
import { modelCurl } from "../../kickoff/curl.ts";
import * as conversation from "../../view/conversation.ts";
import { isRehearsal, present, useLabels } from "../../view/words.ts";
import type { CallAction } from "./messages.ts";

interface Call {
  readonly span: Span;
  readonly body?: UnknownObject;
  readonly reason?: string;
  /** Of a model: the last one before it by the same agent. */
  readonly last?: () => Promise<UnknownObject>;
}

export async function readCall(
  crews: {
    ready(crew: CrewRef): Promise<unknown>;
    client(crew: CrewRef): Promise<Pick<CrewClient, "call" | "calls">>;
  },
  execution: Execution,
  spans: readonly Span[],
  span: Span,
): Promise<Call> {
  const { crew, kickoffIds } = execution;
  if (isRehearsal(execution)) return { span, reason: l10n.t("A rehearsal calls no model.") };
  try {
    await crews.ready(crew);
    const client = await crews.client(crew);
    const kickoffId = kickoffIds.at(-1) ?? "";
    const all = await client.calls(kickoffId);
    const own = keptOf(span, all);
    if (own === undefined || own.isDropped) {
      const reason = l10n.t(
        "It is not kept. Kept are up to 20 MB of calls that have ended: of models that are requested by httpx, and of tools that don't ask other agents.",
      );
      return { span, reason };
    }
    const before = span.kind === "model" ? lastOfAgent(span, spans, all) : undefined;
    const last = before && (() => client.call(kickoffId, before.number));
    return { span, body: await client.call(kickoffId, own.number), ...defined({ last }) };
  } catch (error) {
    const isUnknown = error instanceof CrewApiError && error.kind === "notFound";
    if (!isUnknown || isLocalCrew(crew)) return { span, reason: messageOf(error) };
    const reason = l10n.t(
      "Deployed crews keep no calls. With event streaming, their events have up to 2,000 characters of a text, and the end of a prompt.",
    );
    return { span, reason };
  }
}

/** Events of tools, and those of crewAI 1.0, don't name their calls. @param all by time */
function keptOf({ callId, ...span }: Span, all: readonly KeptCall[]): KeptCall | undefined {
  const isIn = ({ kind, name, start }: KeptCall) =>
    kind === span.kind &&
    (kind === "model" || plainName(name) === plainName(span.name)) &&
    Math.floor(span.start) <= start &&
    start <= Math.ceil(span.end ?? Infinity);
  const isNamed = (call: KeptCall) => callId !== undefined && call.callId === callId;
  return all.findLast(isNamed) ?? all.find(isIn);
}

function lastOfAgent({ agent, start }: Span, spans: readonly Span[], all: readonly KeptCall[]) {
  return spans
    .filter((each) => each.kind === "model" && each.agent === agent && each.start < start)
    .sort((one, other) => one.start - other.start)
    .map((each) => keptOf(each, all))
    .findLast((kept) => kept?.isDropped === false);
}

export type CallModel = ReturnType<typeof callModel>;

export function callModel({ span, body, reason, last }: Call, prices: readonly Price[]) {
  const said = body && saidIn(body);
  const finish = said?.finish;
  const tokens = readUsage(body?.["usage"]) ?? span.tokens;
  const uses = useLabels(tokens && { tokens, models: [{ model: span.name, tokens }] }, prices);
  const isCut = body?.["isCut"] === true;
  return {
    ...defined({ said }),
    facts: present(
      // Its events' tokens are beside its name.
      ...uses.slice(span.tokens === undefined ? 0 : 1),
      finish !== undefined && l10n.t("ended with “{0}”", shortName(finish)),
      isCut && l10n.t("larger than 1 MB: here is its beginning, as JSON"),
      reason,
    ),
    actions: present<CallAction>(
      last && "compareCalls",
      body && "copyCall",
      body && span.kind === "model" && !isCut && "copyCallAsCurl",
    ),
  };
}

function saidIn({ kind, request, response, error }: UnknownObject): conversation.Conversation {
  const { conversationOf, whole } = conversation;
  if (kind === "model") return conversationOf(request, response ?? error);
  const answered = [...whole("result", response), ...whole("error", error)];
  return { tools: [], asked: whole("arguments", request), answered };
}

export async function textsOf(action: CallAction, { body = {}, last }: Call) {
  if (action === "copyCall") return [laidOutJson(body)];
  if (action === "copyCallAsCurl") return [modelCurl(textAt(body, "name") ?? "", body["request"])];
  const bodies = last === undefined ? [] : [await last(), body];
  return bodies.map((each) => conversation.conversationText(saidIn(each)));
}
