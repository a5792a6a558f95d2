// One of two windows that both try to send the same kickoffs and feedback once. Prints what is sent, refused and accepted, and exits when
// it has tried everything.
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { KickoffRequest, ResumeAnswer, ResumeRequest } from "../../../src/api/types.ts";
import { StaleFeedbackError, MaybeSentError } from "../../../src/sending/errors.ts";
import { sendFeedback } from "../../../src/sending/feedback.ts";
import { MaybeStartedError, sendKickoff } from "../../../src/sending/kickoff.ts";
import { seededRandom } from "../../support/random.ts";
import { pausing } from "../executions/samples.ts";
import { crew } from "../kickoff/support.ts";
import { noAnswer, openWindow, senderParts } from "./window.ts";
import { feedbackIds, kickoffIds } from "./work.ts";

const [, , folder = "", seed = "0"] = process.argv;
const random = seededRandom(Number(seed));
// Synchronous, unlike `console`, so that complete lines arrive even if this process is killed.
const print = (...fields: string[]) => writeSync(1, `${fields.join(" ")}\n`);

/** Accepts a request after a moment, refuses it, or leaves its outcome open. */
async function crewAnswers<T>(what: string, answer: T): Promise<T> {
  print("sent", what);
  await delay(random() * 4);
  const chance = random();
  if (chance > 0.2) return answer;
  const sent = chance > 0.1 ? "no" : "maybe";
  if (sent === "no") print("refused", what);
  throw new CrewApiError({ kind: "server", message: "No.", remedy: "", sent });
}

const window = openWindow(folder);
const problem = (message: string, error: unknown) => print("problem", message, String(error));
const parts = senderParts(window, { problem });
window.outbox.recover(window.store);
const kickoffParts = {
  ...parts,
  crews: {
    client: () =>
      Promise.resolve({
        kickoff: ({ inputs }: KickoffRequest) => {
          const id = inputs["id"] as string;
          return crewAnswers(id, { kickoffId: `crew-${id}` });
        },
      }),
  },
};
const feedbackParts = {
  ...parts,
  crews: {
    client: () =>
      Promise.resolve({
        answerRequest: noAnswer,
        status: () => Promise.resolve(pausing("review", "# Draft\n\nText.", 1)),
        resume: ({ executionId }: ResumeRequest) =>
          crewAnswers<ResumeAnswer>(executionId.replace("crew-", ""), { status: "resumed" }),
      }),
  },
};

async function send(id: string): Promise<void> {
  try {
    if (kickoffIds.includes(id)) {
      await sendKickoff(kickoffParts, crew, { inputs: { id } }, { localId: id });
    } else {
      const execution = window.store.find(id);
      if (execution === undefined) throw new Error(`${id} is lost.`);
      const given = { execution, taskId: "review", isApprove: true, text: "" };
      await sendFeedback(feedbackParts, given);
    }
    print("accepted", id);
  } catch (error) {
    const isExpected =
      error instanceof MaybeStartedError ||
      error instanceof MaybeSentError ||
      error instanceof StaleFeedbackError ||
      (error instanceof CrewApiError && error.sent === "no");
    if (!isExpected) print("problem", id, String(error));
  }
}

print("ready");
const places = new Map([...kickoffIds, ...feedbackIds].map((id) => [id, random()]));
const work = [...places.keys()].sort((one, other) => places.get(one)! - places.get(other)!);
// Several requests at once, as from a person and programs.
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let id = work.pop(); id !== undefined; id = work.pop()) await send(id);
  }),
);
window.dispose();
print("done");
