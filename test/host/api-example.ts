import * as vscode from "vscode";
import type { CrewdeckApi, CrewdeckExecution } from "../../src/actions/crewdeck-api.ts";

/** Has a crew write about a topic, approves the draft that waits, and returns the result. */
export async function write(crew: string, topic: string): Promise<string | undefined> {
  const crewdeck = await vscode.extensions
    .getExtension<CrewdeckApi>("crewdeck.crewdeck")
    ?.activate();
  if (crewdeck === undefined) throw new Error("Crewdeck is not installed.");
  // Rejects with a message for a person, such as "Missing inputs: audience".
  const { kickoffId } = await crewdeck.kickoff({ crew, inputs: { topic, audience: "beginners" } });
  const paused = await until(
    crewdeck,
    kickoffId,
    ({ waiting, endedAt }) => waiting !== undefined || endedAt !== undefined,
  );
  if (paused.waiting !== undefined)
    await crewdeck.resume({ crew, kickoffId, isApprove: true, feedback: "Good." });
  const ended = await until(crewdeck, kickoffId, ({ endedAt }) => endedAt !== undefined);
  if (ended.state !== "completed") throw new Error(ended.error ?? `It is ${ended.state}.`);
  return ended.output;
}

/** Waits until an execution is as wanted. Crewdeck polls it, so this sends no requests. */
function until(
  crewdeck: CrewdeckApi,
  kickoffId: string,
  isWanted: (execution: CrewdeckExecution) => boolean,
): Promise<CrewdeckExecution> {
  return new Promise((resolve) => {
    const look = (execution: CrewdeckExecution) => {
      if (!execution.kickoffIds.includes(kickoffId) || !isWanted(execution)) return;
      subscription.dispose();
      resolve(execution);
    };
    const subscription = crewdeck.onDidChangeExecution(look);
    crewdeck.executions().forEach(look);
  });
}
