import { defined } from "../base/json.ts";
import { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError } from "../editor/errors.ts";
import type { Crews } from "./crews.ts";
import { LostTokenError, NoTokenError } from "./errors.ts";
import type { Crew, CrewReport, TestCause } from "./types.ts";

/** A report, and the error that a failed test ended with, for the buttons beside it. */
export interface Examination {
  readonly report: CrewReport;
  readonly error?: Error;
}

/**
 * Tests a connected crew by `GET /inputs`, and finds out its status path by asking for an execution that there is none of. Neither costs anything.
 * Throws CrewApiError of kind `aborted` when the signal ended it; every other failure is in the report.
 */
export async function examine(
  crews: Crews,
  crew: Crew,
  signal?: AbortSignal,
): Promise<Examination> {
  const state = await crews.tokenState(crew.id);
  const begun = Date.now();
  const common = {
    crew: crew.name,
    url: crew.url,
    ...(state.kind === "stored" ? { tokenType: state.inUse } : {}),
  };
  try {
    const { milliseconds, inputs, tokenType } = await crews.test(crew, signal);
    const statusPath = await crews
      .client(crew)
      .findStatusPath(signal === undefined ? {} : { signal });
    return {
      report: {
        ...common,
        ok: true,
        milliseconds,
        inputs,
        tokenType,
        ...defined({ statusPath }),
      },
    };
  } catch (error) {
    const cause = causeOf(error);
    if (cause === undefined || !(error instanceof Error)) throw error;
    return {
      report: {
        ...common,
        ok: false,
        milliseconds: Date.now() - begun,
        cause,
        problem: messageOf(error),
      },
      error,
    };
  }
}

/** The cause of a failure; nothing where the person ended the test, or for what is no failure of a crew. */
function causeOf(error: unknown): TestCause | undefined {
  if (error instanceof NoTokenError) return "noToken";
  if (error instanceof LostTokenError) return "tokenLost";
  if (error instanceof UserError) return "other";
  if (!(error instanceof CrewApiError)) return undefined;
  switch (error.kind) {
    case "unreachable":
      return error.reason ?? "other";
    case "unauthorized":
    case "forbidden":
    case "timeout":
    case "redirected":
      return error.kind;
    case "badAnswer":
    case "notFound":
    case "badRequest":
    case "validation":
    case "tooLarge":
      return "notACrew";
    case "server":
    case "gateway":
    case "rateLimited":
      return "crewFailed";
    case "aborted":
      return undefined;
  }
}
