import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { readOptions } from "../../../src/service/options.ts";
import { projectFolder } from "../../support/folders.ts";

/** What the test reads of a service in compose.yaml. */
interface ComposeService {
  readonly build?: string;
  readonly command?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

const read = (file: string) => readFileSync(path.join(projectFolder, file), "utf8");
const { services, configs } = parse(
  read("compose.yaml").replaceAll(/\$\{[^}]*\}/g, "crews.example.com"),
  { merge: true },
) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
};

describe("service: compose.yaml", () => {
  it("uses only options that the service has", () => {
    const ours = Object.values(services).filter(({ build }) => build !== undefined);
    assert.equal(ours.length, 2);
    for (const { command: line = "", environment = {} } of ours) {
      const [command, ...args] = line.trim().split(/\s+/);
      assert.equal(command, "serve");
      assert.ok(readOptions(args, environment).isServer);
    }
  });

  it("has two API processes and two workers, which only the proxy reaches, at one port", () => {
    const { api, worker } = services;
    assert.deepEqual([api?.deploy?.replicas, worker?.deploy?.replicas], [2, 2]);
    assert.match(api?.command ?? "", / --role api /);
    assert.match(worker?.command ?? "", / --role worker /);
    assert.deepEqual(
      Object.keys(services).filter((name) => services[name]?.ports !== undefined),
      ["caddy"],
    );
    const portOf = (service?: ComposeService) =>
      / --port (\d+)\b/.exec(service?.command ?? "")?.[1];
    const port = portOf(api);
    assert.equal(portOf(worker), port);
    assert.ok(configs["caddyfile"]?.content.includes(` port ${port}\n`));
    for (const { command, volumes } of [api, worker].map((service) => service ?? {})) {
      const [, data] = / --data (\S+)/.exec(command ?? "") ?? [];
      assert.ok(volumes?.includes(`data:${data}`), "they share what flows keep in files");
      assert.ok(read("Dockerfile").includes(`--group node ${data}\n`), "their user may write it");
    }
    assert.ok(read("Dockerfile").includes(`fetch('http://127.0.0.1:${port}/readyz')`));
  });
});
