import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { KickoffRequest } from "../../../src/api/types.ts";
import { curlCommand } from "../../../src/kickoff/curl.ts";
import { MisbehavingServer } from "../../support/misbehaving-server.ts";
import { authenticated } from "./support.ts";

const run = promisify(execFile);
/** Characters with a special meaning for a shell. */
const awkward = `it's "quoted" $CREW_TOKEN \`id\` $(id) \\n !! %s é 🦦 \u0000 \u2028 \n@/etc/passwd`;

describe("A kickoff as cURL", () => {
  it("sends exactly the body that the extension sends, with secrets from the shell's variables", async () => {
    const server = await MisbehavingServer.start();
    const address = `${server.url}/it's`;
    const request: KickoffRequest = {
      inputs: { [awkward]: awkward, deep: { list: [null, true, 1.5] } },
      meta: { ticket: "7'" },
      taskWebhookUrl: "https://hooks.test/a?b='c'",
      ...authenticated({ password: "hush" }, { token: "hush" }),
    };
    const { command, variables } = curlCommand(address, request);
    assert.doesNotMatch(command, /hush/);
    assert.deepEqual(variables, [
      "$CREW_TOKEN",
      "$CREW_HUMAN_INPUT_PASSWORD",
      "$CREW_STREAMING_TOKEN",
    ]);
    const secrets = { CREW_HUMAN_INPUT_PASSWORD: "hush", CREW_STREAMING_TOKEN: "hush" };
    const env = { ...process.env, CREW_TOKEN: "right", ...secrets };
    await run("sh", ["-c", `${command} -s`], { env });
    const { method, path, headers, body = "" } = server.requests[0] ?? {};
    assert.deepEqual(JSON.parse(body), request);
    assert.deepEqual([method, path], ["POST", "/it's/kickoff"]);
    const sent = [headers?.["authorization"], headers?.["content-type"]];
    assert.deepEqual(sent, ["Bearer right", "application/json"]);
  });
});
