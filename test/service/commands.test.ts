import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { runService, serviceProgram, startProgram, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

describe("service: its commands", () => {
  it("is a relay by its command, too, with the same options and help", async () => {
    const service = await startService({ args: ["relay", "--port", "0", "--token", "T"] });
    assert.equal(service.token, undefined);
    assert.equal((await fetch(service.url)).status, 200);
    await service.stop();
    const [byCommand, byOption] = [
      ["relay", "--help"],
      ["--relay", "--help"],
    ].map((args) => runService(args));
    assert.deepEqual(await byCommand, await byOption);
  });

  it("lists them with the options of serve, and after a command its options only", async () => {
    for (const [command, texts] of [
      [[], ["Usage: crewdeck <command>", "Usage: crewdeck serve", "  serve ", "  relay "]],
      [[], ["--engine rehearsal|crewai", "--dialect documented|live", "[rehearse failure]"]],
      [["serve"], ["Usage: crewdeck serve "]],
      [["relay"], ["Usage: crewdeck relay", "--host ADDRESS", "--token T", "CREWDECK_TOKEN"]],
    ] as const) {
      const { code, stdout, stderr } = await runService([...command, "--help"]);
      assert.deepEqual([code, stderr], [0, ""]);
      for (const text of texts) assert.ok(stdout.includes(text), stdout);
      assert.ok(command.length === 0 || stdout.startsWith(texts[0]));
    }
  });

  it("names a case that a file lacks, prints nothing that is for the terminal, and writes XML", async () => {
    const file = path.join(temporaryFolder("test"), "a.kickoff.json");
    const [other, xml] = [`${file}#9`, `${file}.xml`];
    writeFileSync(file, String.raw`{"cases": [{"label": "\u001b[2J\uffff"}]}`);
    const { code, stdout } = await runService(["test", file, other, "--junit", xml]);
    assert.deepEqual([code, stdout.match(/no case 9|\u001b/g)], [2, ["no case 9"]], stdout);
    assert.match(readFileSync(xml, "utf8"), /name="\ufffd\[2J\ufffd"/);
  });

  it("adds and revokes tokens of a server before its first start, while it runs, and after it was killed", async () => {
    const data = temporaryFolder("tokens");
    const config = path.join(data, "crewdeck.server.jsonc");
    const crew = { name: "one", folder: path.join(projectFolder, "media", "example-crew") };
    writeFileSync(config, JSON.stringify({ crews: [{ ...crew, engine: "rehearsal" }], port: 0 }));
    const place = ["--config", config, "--data", data];
    const token = async (...args: string[]) => {
      const { code, stdout, stderr } = await runService(["token", ...args, ...place]);
      assert.equal(code, 0, stderr);
      return stdout.trim();
    };
    const serve = async (...tokens: string[]) => {
      const program = await startProgram(["serve", ...place]);
      const url = `${String(program.announced["url"])}/one/inputs`;
      const status = async (each: string) =>
        (await fetch(url, { headers: { Authorization: `Bearer ${each}` } })).status;
      for (const each of tokens) assert.equal(await status(each), 200);
      return { ...program, status };
    };
    const before = await token("add", "before");
    const server = await serve(before);
    const during = await token("add", "during");
    await waitFor("the new token", async () => (await server.status(during)) === 200);
    await token("revoke", "before");
    await waitFor("the revocation", async () => (await server.status(before)) === 401);
    await server.end("SIGKILL");
    const next = await serve(during, await token("add", "after"));
    assert.equal(await next.status(before), 401);
    await next.end("SIGTERM");
  });

  it("prints its version, and no error when its reader has gone", async () => {
    const manifest = readFileSync(path.join(projectFolder, "package.json"), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    const { code, stdout } = await runService(["--version"]);
    assert.deepEqual([code, stdout], [0, `${version}\n`]);
    const command = `"${process.execPath}" "${serviceProgram()}" --help | true`;
    assert.equal((await promisify(execFile)("sh", ["-c", command])).stderr, "");
  });

  it("refuses a word that is neither a command nor a folder, and says what exists", async () => {
    const unknown = await runService(["sevre", "--port", "0"]);
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assert.equal(
      unknown.stderr,
      'There is no command or folder "sevre". The commands are serve, test, token, migrate, relay. See "crewdeck --help".\n',
    );
    // A folder, though not of a crew.
    const folder = await runService(["media"]);
    assert.equal(folder.code, 4);
    assert.match(folder.stderr, /The crew in media can't be served/);
  });
});
