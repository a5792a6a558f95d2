import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../../src/base/clock.ts";
import { Paths } from "../../../src/callbacks/paths.ts";
import { testDatabase } from "../../support/database.ts";
import { projectFolder } from "../../support/folders.ts";
import { HttpServer } from "../../support/http-server.ts";
import { makeCertificate } from "../../support/misbehaving-server.ts";

describe("VS Code's forwarded port", () => {
  let folder: string;
  let server: HttpServer;
  let isPublic: boolean;
  beforeEach(async () => {
    const machine = testDatabase();
    ({ folder } = machine);
    const paths = new Paths(machine.database, systemClock);
    const certificate = await makeCertificate("DNS:forwarded.test");
    writeFileSync(path.join(folder, "authority.pem"), certificate.cert);
    server = new HttpServer(({ url = "", headers }, response) => {
      // A private port asks for a sign-in, unless the request has the person's cookie.
      const isLetIn = isPublic || headers.cookie !== undefined;
      if (isLetIn) paths.arrive(url);
      response.writeHead(isLetIn ? 204 : 302, { Location: "https://sign-in.test" }).end();
    }, certificate);
    await server.start();
  });

  /** In a process that trusts the server's certificate and finds its name on this machine. */
  async function addressAt(external: string): Promise<string> {
    const program = `
      import dns from "node:dns";
      import { systemClock } from "./src/base/clock.ts";
      import { forwardedRoute } from "./src/callbacks/routes.ts";
      import { Paths } from "./src/callbacks/paths.ts";
      import { Database } from "./src/store/database.ts";
      dns.lookup = (name, options, answer) => answer(null, [{ address: "127.0.0.1", family: 4 }]);
      const log = { problem: (doing, error) => { throw error; } };
      const database = new Database({ folder: ${JSON.stringify(folder)}, clock: systemClock, log });
      const external = () => Promise.resolve(${JSON.stringify(external)});
      const route = forwardedRoute(() => true, external, new Paths(database, systemClock));
      console.log(await route.addressOf("secret", 1234, false).catch((error) => error.message));`;
    const args = ["--input-type=module", "-e", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: projectFolder,
      env: { ...process.env, NODE_EXTRA_CA_CERTS: path.join(folder, "authority.pem") },
    });
    return stdout.trim();
  }
  const url = () => `https://forwarded.test:${server.port}`;

  it("is used once a request without cookies has come back by it", async () => {
    isPublic = true;
    assert.equal(await addressAt(`${url()}/`), `${url()}/secret`);
  });

  it("is not used while it is private, and the error says to make it public", async () => {
    isPublic = false;
    const answer = await addressAt(`${url()}/`);
    assert.match(answer, /port 1234, but only for you: .*302.*make it public/);
  });

  it("is not used where it leads to one machine only", async () => {
    isPublic = true;
    assert.equal(await addressAt("http://localhost:1234/"), "undefined");
    assert.equal(await addressAt("https://127.0.0.1:1234/"), "undefined");
  });
});
