import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { MisbehavingServer, text } from "../support/misbehaving-server.ts";
import { addToken, startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const metricsToken = "metrics-0123456789abcdef";

describe("The service as a program, in operation,", () => {
  let service: RunningService;
  let receiver: MisbehavingServer;
  before(async () => {
    receiver = await MisbehavingServer.start();
    receiver.otherwise = text(404, "");
    service = await startService({
      args: ["--log", "json", "--task-seconds", "0"],
      env: {
        CREWDECK_METRICS_TOKEN: metricsToken,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=otlp-0123456789",
      },
    });
  });
  after(async () => {
    await service.stop();
    await receiver.stop();
  });

  it("shows its metrics to the token for them only", async () => {
    const get = (token: string) =>
      fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await get(service.token)).status, 401);
    const answer = await get(metricsToken);
    assert.equal(answer.headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.match(await answer.text(), /^crewdeck_executions\{crew="",/m);
  });

  it("answers on while it is asked to stop, says that it isn't ready, and asks clients to leave", async () => {
    const drained = await startService({ args: ["--drain-seconds", "2"] });
    const api = new CrewApi(drained);
    const ready = () => fetch(`${drained.url}/readyz`);
    assert.equal((await ready()).headers.get("Keep-Alive"), "timeout=620");
    const ended = drained.stop();
    const answer = await waitFor("the refusal", async () => {
      const found = await ready();
      return found.status === 503 && found;
    });
    assert.equal(answer.headers.get("Connection"), "close");
    assert.match(await answer.text(), /The service is shutting down/);
    assert.ok(await api.kickoff({ inputs: { topic: "tides", audience: "sailors" } }));
    await ended;
    assert.equal(drained.child.exitCode, 0);
  });

  it("sends the spans of an execution that was stopped, and logs a failure as JSON, with its ID and without a secret", async () => {
    const api = new CrewApi(service);
    const id = await api.kickoff({ inputs: { topic: "tides", audience: "sailors" } });
    await api.post(`/stop/${id}`, {});
    const line = await waitFor(
      "the failure to be logged",
      () => service.log().includes(id) && service.log(),
    );
    const [{ time, msg, ...entry } = assert.fail()] = line
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each) as Record<string, unknown>);
    assert.ok(!Number.isNaN(Date.parse(String(time))));
    assert.deepEqual(entry, { level: "warn", execution_id: id });
    assert.match(
      String(msg),
      new RegExp(
        `^A request with spans of execution ${id} to ${receiver.url} failed, .*: HTTP 404$`,
      ),
    );
    assert.equal(receiver.requests[0]?.headers["x-key"], "otlp-0123456789");
    for (const secret of [service.token, service.userToken, metricsToken, "otlp-0123456789"])
      assert.ok(!service.log().includes(secret));
  });
});

describe("The log of a server", () => {
  before(function () {
    // The crew's Python is a shell script.
    if (process.platform === "win32") this.skip();
  });

  it("has no value of a crew's environment file and no key of its own environment, though the crew's Python prints them", async () => {
    const folder = temporaryFolder("environment-file");
    const write = (name: string, text: string) =>
      writeFileSync(path.join(folder, name), text, { mode: 0o700 });
    write(
      "python",
      '#!/bin/sh\necho "no entry for $STATION and $STATION_KEY with:" >&2; echo "$PAPER" >&2; exit 1\n',
    );
    write("one.env", 'STATION=open-sesame\nPAPER="first-half\nsecond-half"\n');
    const config = {
      crews: [
        {
          ...{ name: "one", folder: path.join(projectFolder, "media", "example-crew") },
          ...{ engine: "crewai", python: "python", environmentFile: "one.env" },
        },
      ],
      port: 0,
    };
    write("crewdeck.server.jsonc", JSON.stringify(config));
    const file = path.join(folder, "crewdeck.server.jsonc");
    const place = ["--config", file, "--data", path.join(folder, "data")];
    const token = await addToken(...place);
    const service = await startService({
      args: [...place, "--log-output"],
      env: { STATION_KEY: "open-barley" },
    });
    try {
      const api = new CrewApi({ url: `${service.url}/one`, token });
      const id = await api.kickoff({ inputs: { topic: "tides", audience: "sailors" } });
      const lines = await waitFor("what it prints", () => {
        const found = service.log().match(/\[crew\] .*?(?=")/g) ?? [];
        return found.length >= 3 && found;
      });
      assert.deepEqual(lines.slice(0, 3), [
        "[crew] no entry for [hidden] and [hidden] with:",
        "[crew] [hidden]",
        "[crew] [hidden]",
      ]);
      const [entry = ""] = service.log().match(/.*no entry for.*/) ?? [];
      assert.ok(entry.includes(`"execution_id":"${id}"`) && entry.includes('"crew":"one"'), entry);
      assert.doesNotMatch(service.log(), /sesame|barley|half/);
    } finally {
      await service.stop();
    }
  });
});
