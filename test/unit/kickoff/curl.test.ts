import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { KickoffRequest } from "../../../src/api/types.ts";
import { curlCommand } from "../../../src/kickoff/curl.ts";

const run = promisify(execFile);
/** Characters with a special meaning for a shell. */
const awkward = `it's "quoted" $CREW_TOKEN \`id\` $(id) \\n !! %s é 🦦 \u0000 \u2028 \n@/etc/passwd`;

describe("A kickoff as cURL", () => {
  it("sends exactly the body that the extension sends, with secrets from the shell's variables", async () => {
    const bodies: string[] = [];
    const seen: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      seen.push(request);
      let body = "";
      request
        .setEncoding("utf8")
        .on("data", (text: string) => (body += text))
        .on("end", () => (bodies.push(body), response.end("{}")));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/it's`;
    const request: KickoffRequest = {
      inputs: { [awkward]: awkward, deep: { list: [null, true, 1.5] } },
      meta: { ticket: "7'" },
      taskWebhookUrl: "https://hooks.test/a?b='c'",
      humanInputWebhook: {
        url: "https://hooks.test/h",
        authentication: { strategy: "basic", username: "me", password: "hush" },
      },
      webhooks: {
        events: ["task_completed"],
        url: "https://hooks.test/s",
        authentication: { strategy: "bearer", token: "hush" },
      },
    };
    const { command, variables } = curlCommand(address, request);
    assert.doesNotMatch(command, /hush/);
    assert.deepEqual(variables, [
      "$CREW_TOKEN",
      "$CREW_HUMAN_INPUT_PASSWORD",
      "$CREW_STREAMING_TOKEN",
    ]);
    try {
      const env = {
        ...process.env,
        CREW_TOKEN: "right",
        CREW_HUMAN_INPUT_PASSWORD: "hush",
        CREW_STREAMING_TOKEN: "hush",
      };
      await run("sh", ["-c", `${command} -s`], { env });
    } finally {
      server.close();
    }
    assert.deepEqual(JSON.parse(bodies[0] ?? ""), request);
    assert.deepEqual(
      [seen[0]?.method, seen[0]?.url, seen[0]?.headers.authorization],
      ["POST", "/it's/kickoff", "Bearer right"],
    );
    assert.equal(seen[0]?.headers["content-type"], "application/json");
  });

  it("names the variable of a human-input token, and never one that an input names", () => {
    const request: KickoffRequest = {
      inputs: {},
      humanInputWebhook: {
        url: "https://hooks.test",
        authentication: { strategy: "bearer", token: "hush" },
      },
    };
    const { command, variables } = curlCommand("https://crew.test", request);
    assert.match(command, /"token":"'"\$CREW_HUMAN_INPUT_TOKEN"'"/);
    assert.deepEqual(variables, ["$CREW_TOKEN", "$CREW_HUMAN_INPUT_TOKEN"]);
    assert.match(command, /-H "Authorization: Bearer \$CREW_TOKEN"/);
    assert.doesNotMatch(
      curlCommand("https://crew.test", { inputs: { a: "\u0000CREW_TOKEN\u0000" } }).command,
      /"\$CREW_TOKEN"'/,
    );
  });
});
