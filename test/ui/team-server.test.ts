import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeTestAuthority } from "../../scripts/test-authority.ts";
import { startConnectProxy, type ConnectProxy } from "../support/connect-proxy.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { makeCertificate } from "../support/misbehaving-server.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { ReverseProxy } from "../support/reverse-proxy.ts";
import { runService, startProgram, type RunningProgram } from "../support/service.ts";
import { editionFromEnvironment } from "../support/vscode-versions.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { answerConnecting, connectCrew } from "./person.ts";
import { tellStory } from "./story.ts";

/** The name in the test authority's certificate, with which nothing looks like a crew on this machine. */
const publicUrl = "https://crew.test";
const crews = {
  example_crew: "media/example-crew",
  declarative: "test/fixtures/projects/declarative",
};

describe("A team's server behind TLS, in the window", () => {
  needsPostgres();
  const folder = temporaryFolder("team-server");
  const config = path.join(folder, "crewdeck.server.jsonc");
  const programs: RunningProgram[] = [];
  let postgres: TestPostgres;
  let token: string;
  let database: string;
  let apis: readonly number[];
  let tls: ReverseProxy;
  /** Leads to the public address, as a company's proxy does. */
  let way: ConnectProxy;
  let window: VSCodeWindow;

  before(async () => {
    const named = Object.entries(crews).map(([name, project]) => ({
      name,
      folder: path.join(projectFolder, project),
      engine: "rehearsal",
    }));
    writeFileSync(config, `// Two crews.\n${JSON.stringify({ crews: named }, null, 2)}\n`);
    postgres = await startPostgres({ isDurable: false });
    database = await postgres.createDatabase();
    const added = await runToken("add", "team");
    assert.equal(added.code, 0, added.stderr);
    token = added.stdout.trim();
    const common = ["serve", "--config", config, "--database", database, "--task-seconds", "0.2"];
    const api = ["--role", "api", "--port", "0", "--trust-proxy", "--public-url", publicUrl];
    for (const role of [api, api, ["--role", "worker"]])
      programs.push(await startProgram([...common, ...role]));
    apis = programs
      .slice(0, 2)
      .map(({ announced }) => Number(new URL(String(announced["url"])).port));
    tls = await ReverseProxy.start(apis, await makeCertificate("DNS:crew.test"));
    way = await startConnectProxy(tls.port);
    const authority = makeTestAuthority(folder, editionFromEnvironment());
    window = await openWindow({
      env: { ...authority.environment, HTTPS_PROXY: way.url },
      settings: { "workbench.colorTheme": "Default Dark Modern" },
    });
  });

  after(async () => {
    await window.close();
    await way.stop();
    await tls.stop();
    await Promise.all(programs.map((program) => program.end("SIGKILL")));
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const runToken = (...args: string[]) =>
    runService(["token", ...args, "--config", config, "--database", database]);

  it("sends nothing if no trusted authority has signed the server's certificate, and says so", async () => {
    const { messages } = window;
    const url = `${publicUrl}/example_crew`;
    await answerConnecting(window, { url, token, name: "example_crew" });
    const dialog = messages.dialog("“example_crew” is not connected yet");
    await dialog.waitFor();
    assert.match(
      await dialog.innerText(),
      /A secure connection to crew\.test\S* could not be established \(.*http\.systemCertificates/,
    );
    assert.deepEqual(tls.requests, []);
  });

  it("is connected once its certificate is that of the authority, and takes a crew from the kickoff over a rejection and an approval to the result", async () => {
    const { messages } = window;
    const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
    tls.certificate = { key: read("crew.key"), cert: read("crew.pem") };
    await messages.confirm("is not connected yet", "Try Again");
    await window.tree.row("example_crew").waitFor();
    await connectCrew(window, { url: `${publicUrl}/declarative`, token, name: "declarative" });
    await tellStory(window);

    assert.deepEqual(
      new Set(tls.requests.map(({ authorization }) => authorization)),
      new Set([`Bearer ${token}`]),
    );
    const sent = (suffix: string) =>
      tls.requests.filter((request) => request.path === `/example_crew/${suffix}`).length;
    assert.deepEqual([sent("kickoff"), sent("resume")], [1, 2]);
    assert.deepEqual(new Set(tls.requests.map(({ port }) => port)), new Set(apis));
    const used = /^team +organization +all +never +\d{4}-\d\d-\d\dT/m;
    assert.match((await runToken("list")).stdout, used);
  });
});
