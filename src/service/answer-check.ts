import { descriptionAt, mismatches, resolvePointer } from "./openapi.ts";

/** One answer of the service. */
export interface Answer {
  readonly method: string;
  /** The path as asked for, without the query. */
  readonly path: string;
  readonly status: number;
  /** Without parameters such as the charset. */
  readonly contentType: string;
  /** The parsed body where it is JSON, else its text. */
  readonly body: unknown;
}

/** What is wrong with an answer by openapi.yaml, one line each; empty when nothing is. An answer to an unknown route is held to `NotFound`. */
export function answerProblems(answer: Answer): string[] {
  const responses = responsesFor(answer);
  const response = [...responses, String(answer.status)];
  const name = `${answer.method} ${answer.path} ${answer.status}`;
  if (descriptionAt(response) === undefined) return [`${name}: this status is not described`];
  const schema = resolvePointer([...response, "content", answer.contentType, "schema"]);
  if (!schema) return [`${name}: the content type ${answer.contentType} is not described`];
  return mismatches(schema, answer.body).map(
    ({ path, message }) => `${name}: /${path.join("/")} ${message}`,
  );
}

/** Statuses that come before or instead of an operation, and where they are described. */
const anywhere: readonly string[] = ["paths", "/resume", "post", "responses"];

function responsesFor({ method, path }: Answer): readonly string[] {
  const template = templateOf(path);
  const operation = template && [
    "paths",
    template,
    method === "HEAD" ? "get" : method.toLowerCase(),
    "responses",
  ];
  return operation && descriptionAt(operation) !== undefined ? operation : anywhere;
}

function templateOf(path: string): string | undefined {
  if (path === "/inputs" || path === "/kickoff" || path === "/resume") return path;
  if (/^\/status\/[^/]+$/.test(path)) return "/status/{kickoff_id}";
  return /^\/[^/]+\/status$/.test(path) ? "/{kickoff_id}/status" : undefined;
}
