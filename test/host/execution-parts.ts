import assert from "node:assert/strict";
import { askerOf } from "../../src/actions/asker.ts";
import { Targets, type TargetsOptions } from "../../src/actions/targets.ts";
import type { Verb } from "../../src/actions/verbs.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { Crew } from "../../src/crews/types.ts";
import { anExecution } from "../unit/views/executions.ts";

export function crewsOf(...crews: readonly Crew[]) {
  const find = (text: string) => crews.find(({ id, name, url }) => [id, name, url].includes(text));
  const get = (text: string) => find(text) ?? assert.fail(`no crew ${text}`);
  const connected = ({ id }: Pick<Crew, "id">) => get(id);
  const ready = (crew: Pick<Crew, "id">) => Promise.resolve(connected(crew));
  return { list: () => crews, find, get, connected, ready };
}

export async function runIn(
  verbs: Readonly<Record<string, Verb>>,
  id: string,
  argument?: unknown,
): Promise<unknown> {
  return await verbs[id]?.(argument, askerOf(argument));
}

export const noCircumstances = { of: () => ({}) };

export function targetsIn(
  store: TargetsOptions["store"],
  crews: TargetsOptions["crews"] = crewsOf(anExecution().crew),
  circumstances: TargetsOptions["circumstances"] = noCircumstances,
): Targets {
  return new Targets({ store, crews, circumstances });
}

/** What verbs for executions need: the crew of `anExecution`, and a poller that sends nothing. */
export function executionParts<Store extends TargetsOptions["store"]>(
  store: Store,
  crews = crewsOf(anExecution().crew),
) {
  return {
    ...{ store, crews, clock: systemClock, targets: targetsIn(store, crews) },
    poller: {
      refusingCrews: () => new Map<string, never>(),
      pollNow: () => Promise.resolve(),
      pollAgain: () => undefined,
    },
    page: { open: () => Promise.resolve(), switchTo: () => Promise.resolve() },
  };
}
