import { isObject } from "../../src/base/json.ts";
import { mismatches, openapi } from "../../src/service/requests.ts";

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Without parameters such as the charset. */
  readonly contentType: string;
  readonly body: unknown;
}

/** Checks a response of the service against openapi.yaml; one line for each problem. */
export function answerProblems(answer: Answer): string[] {
  const response = [...responsesFor(answer), String(answer.status)];
  const name = `${answer.method} ${answer.path} ${answer.status}`;
  if (!resolve(response)) return [`${name}: this status is not described`];
  const schema = resolve([...response, "content", answer.contentType, "schema"]);
  if (!schema) return [`${name}: the content type ${answer.contentType} is not described`];
  const pointer = schema.pointer.map((part) => `/${encodeURIComponent(escape(part))}`).join("");
  return mismatches(pointer, answer.body).map(
    ({ path, message }) => `${name}: /${path.join("/")} ${message}`,
  );
}

/** The operation with the responses that any request can get, also one for an unknown route. */
const anyResponses: readonly string[] = ["paths", "/resume", "post", "responses"];

function responsesFor({ method, path }: Answer): readonly string[] {
  const template = templateOf(path);
  if (template === undefined) return anyResponses;
  const responses = ["paths", template, method.toLowerCase(), "responses"];
  return resolve(responses) ? responses : anyResponses;
}

function templateOf(path: string): string | undefined {
  if (["/inputs", "/inputs/ask", "/kickoff", "/resume"].includes(path)) return path;
  if (/^\/feedback\/([^/]+\/){3}[^/]+$/.test(path))
    return "/feedback/{execution_id}/{method}/{attempt}/{signature}";
  if (/^\/executions\/[^/]+\/calls\/[^/]+$/.test(path))
    return "/executions/{kickoff_id}/calls/{number}";
  const [, list] = /^\/executions\/[^/]+\/(audit|calls|recording)$/.exec(path) ?? [];
  if (list !== undefined) return `/executions/{kickoff_id}/${list}`;
  if (/^\/stop\/[^/]+$/.test(path)) return "/stop/{kickoff_id}";
  if (/^\/status\/[^/]+$/.test(path)) return "/status/{kickoff_id}";
  return /^\/[^/]+\/status$/.test(path) ? "/{kickoff_id}/status" : undefined;
}

/** The part of openapi.yaml at `pointer`, with `$ref`s resolved. */
function resolve(pointer: readonly string[]): { pointer: string[]; value: unknown } | undefined {
  let here: { pointer: string[]; value: unknown } = { pointer: [], value: openapi };
  for (const part of pointer) {
    if (!isObject(here.value) || !Object.hasOwn(here.value, part)) return undefined;
    here = { pointer: [...here.pointer, part], value: here.value[part] };
    if (isObject(here.value) && typeof here.value["$ref"] === "string") {
      const target = resolve(here.value["$ref"].split("/").slice(1).map(unescape));
      if (!target) return undefined;
      here = target;
    }
  }
  return here;
}

function escape(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
