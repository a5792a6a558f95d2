import assert from "node:assert/strict";
import { systemClock } from "../../src/base/clock.ts";
import { askerOf } from "../../src/actions/asker.ts";
import type { Commands } from "../../src/actions/commands.ts";
import type { ExecutionParts } from "../../src/actions/executions.ts";
import type { Crew } from "../../src/crews/types.ts";
import { anExecution } from "../unit/views/executions.ts";

/** Connected crews that need no start. */
export function crewsOf(...crews: readonly Crew[]): ExecutionParts["crews"] {
  const find = (text: string) => crews.find(({ id, name, url }) => [id, name, url].includes(text));
  const get = (text: string) => find(text) ?? assert.fail(`no crew ${text}`);
  return { list: () => crews, find, get, ready: ({ id }) => Promise.resolve(get(id)) };
}

/** Runs one of these commands as VS Code does. */
export async function runIn(commands: Commands, id: string, argument?: unknown): Promise<unknown> {
  return await commands[id]?.(argument, askerOf(argument));
}

/** What commands for executions need: the crew of `anExecution`, and a tracker that sends nothing. */
export function executionParts(store: ExecutionParts["store"]): ExecutionParts {
  return {
    store,
    crews: crewsOf(anExecution().crew),
    tracker: {
      parkedCrews: () => new Map(),
      pollNow: () => Promise.resolve(),
      unpark: () => undefined,
      watchAgain: () => undefined,
    },
    clock: systemClock,
    documents: { show: () => Promise.resolve() },
    page: { switchTo: () => Promise.resolve() },
  };
}
