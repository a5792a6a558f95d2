import type { Crew } from "./types.ts";

/** Whether an execution can cost money. The rehearsal engine calls no model; a question about a kickoff there says nothing of cost. */
export function costsMoney({ local }: Pick<Crew, "local">): boolean {
  return local?.engine !== "rehearsal";
}
