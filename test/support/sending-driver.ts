// The extension that sends in test/durability/killed-hosts.test.ts: it kicks off and resumes by Crewdeck's API until enough of each were accepted.
// Its host may be killed at any moment. Files have what was called and what came of it, and the next host continues there.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import type { CrewdeckApi, CrewdeckExecution } from "../../src/actions/crewdeck-api.ts";

const atOnce = 8;

/** Appends to a file. Synchronous: what is written stays if this host is killed at once. */
const writer =
  (file: string) =>
  (...entry: readonly string[]) =>
    appendFileSync(file, `${JSON.stringify(entry)}\n`);

export async function activate(): Promise<void> {
  const crew = vscode.workspace.name ?? "";
  // VS Code watches the window's own folder, which takes its time.
  const folder = process.env["CREWDECK_SENDING_FOLDER"] ?? "";
  const hosts = writer(path.join(folder, `${crew}.hosts`));
  const crewdeck = await vscode.extensions
    .getExtension<CrewdeckApi>("crewdeck.crewdeck")
    ?.activate();
  if (!crewdeck?.crews().some(({ name }) => name === crew)) return;
  hosts("started", String(process.pid));
  try {
    await send(crewdeck, crew, path.join(folder, `${crew}.calls`));
    hosts("done");
  } catch (error) {
    hosts("failed", String(error));
  }
}

async function send(crewdeck: CrewdeckApi, crew: string, file: string): Promise<void> {
  const count = Number(process.env["CREWDECK_SENDING_COUNT"]);
  const note = writer(file);
  const earlier = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const counted = (event: string) =>
    earlier.filter((line) => line.startsWith(`["${event}"`)).length;
  let called = counted("kickoff");
  let started = counted("started");
  let resumed = counted("resumed");

  /** Those with an ID that have not ended, of both hosts. */
  const open = new Map<string, CrewdeckExecution>();
  const changes = new vscode.EventEmitter<string>();
  const look = (execution: CrewdeckExecution) => {
    const { kickoffId, kickoffIds, endedAt } = execution;
    if (kickoffIds.length > 0 && endedAt === undefined) open.set(kickoffId, execution);
    else open.delete(kickoffId);
    changes.fire(kickoffId);
  };
  crewdeck.onDidChangeExecution(look);
  crewdeck.executions().forEach(look);

  const kickOff = async () => {
    const topic = `${crew}-${called++}`;
    note("kickoff", topic);
    const { kickoffId } = await crewdeck.kickoff({ crew, inputs: { topic } });
    started += 1;
    note("started", topic, kickoffId);
    // It is polled at once.
    if (open.get(kickoffId)?.state === "queued")
      await new Promise<void>((resolve) => {
        const subscription = changes.event((id) => {
          if (id !== kickoffId) return;
          subscription.dispose();
          resolve();
        });
      });
    return kickoffId;
  };
  const resume = async (kickoffId: string) => {
    while (open.get(kickoffId) !== undefined && open.get(kickoffId)?.waiting === undefined)
      // Only so that the test doesn't wait for the next poll.
      await vscode.commands.executeCommand("crewdeck.refresh", { kickoffId });
    if (!open.has(kickoffId)) return;
    note("resume", kickoffId);
    try {
      await crewdeck.resume({ kickoffId, isApprove: true });
      resumed += 1;
      note("resumed", kickoffId);
    } catch (error) {
      note("refused", kickoffId, String(error));
    }
  };
  /** Also those that the other host, or one that was killed, resumes or has resumed. */
  const resumeAll = async () => {
    for (const kickoffId of [...open.keys()]) await resume(kickoffId);
  };
  const work = async () => {
    while (started < count || resumed < count) await resume(await kickOff());
  };
  await Promise.all([resumeAll(), ...Array.from({ length: atOnce }, work)]);
  await resumeAll();
}
