import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import { runService, startService } from "../support/service.ts";

describe("service: its commands", () => {
  it("serves with and without the word", async () => {
    for (const args of [["serve"], []]) {
      const service = await startService({ args: [...args, "--token", "T"] });
      assert.equal(service.token, "T");
      await service.stop();
    }
  });

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
      [[], ["--task-seconds S", "--engine crewai", "--dialect live", "[rehearse failure]"]],
      [[], ["--relay"]],
      [["serve"], ["Usage: crewdeck serve "]],
      [["relay"], ["Usage: crewdeck relay", "--host ADDRESS", "--token T", "CREWDECK_TOKEN"]],
    ] as const) {
      const { code, stdout, stderr } = await runService([...command, "--help"]);
      assert.deepEqual([code, stderr], [0, ""]);
      for (const text of texts) assert.ok(stdout.includes(text), stdout);
      assert.ok(command.length === 0 || stdout.startsWith(texts[0]));
    }
  });

  it("prints its version", async () => {
    const manifest = readFileSync(path.join(projectFolder, "package.json"), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    const { code, stdout } = await runService(["--version"]);
    assert.deepEqual([code, stdout], [0, `${version}\n`]);
  });

  it("refuses a word that is neither a command nor a folder, and says what exists", async () => {
    const unknown = await runService(["sevre", "--port", "0"]);
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assert.equal(
      unknown.stderr,
      'There is no command or folder "sevre". Did you mean serve? The commands are serve, token, migrate, relay. See "crewdeck --help".\n',
    );
    // A folder, though not of a crew.
    const folder = await runService(["media"]);
    assert.equal(folder.code, 4);
    assert.match(folder.stderr, /The crew in media can't be served/);
  });
});
