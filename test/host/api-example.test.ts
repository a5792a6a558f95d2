import assert from "node:assert/strict";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { waitFor } from "../support/wait.ts";
import { write } from "./api-example.ts";
import { run } from "./extension.ts";
import { serveCrew } from "./real-service.ts";

describe("The documented example of the API", () => {
  let api: CrewdeckApi;

  serveCrew("Example", (_service, given) => (api = given));

  it("kicks off, approves what waits, and returns the result", async () => {
    let output: string | undefined;
    const written = write("Example", "Sea otters").then((text) => (output = text));
    await waitFor("the result", async () => {
      // Only so that the test doesn't wait for the next poll.
      await run("refresh");
      return output !== undefined;
    });
    assert.match((await written) ?? "", /Good\./);
    const [execution] = api.executions();
    assert.equal(execution?.state, "completed");
    assert.deepEqual(
      execution.tasks.flatMap(({ attempts }) => attempts.flatMap(({ feedback }) => feedback ?? [])),
      [{ isApprove: true, text: "Good." }],
    );
    assert.deepEqual(structuredClone(execution), execution, "plain data");
  });
});
