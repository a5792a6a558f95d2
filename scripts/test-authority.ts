import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Edition } from "../test/support/vscode-versions.ts";

/** Files of a certificate authority that was made for one run, and of a certificate that it signed for `crew.test`. */
interface TestAuthority {
  /** The folder they are in, for the environment of what runs inside VS Code. */
  readonly folder: string;
  /** The environment in which a VS Code of that edition finds the authority among those of the machine. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Where Linux keeps the machine's own authorities, which must stay trusted beside the new one. */
const machineAuthorities = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/**
 * Makes an authority and a certificate for `crew.test` with openssl. The newest VS Code reads the machine's authorities through
 * Node, from the file in SSL_CERT_FILE; the oldest reads a fixed file, so there Node gets the authority directly.
 */
export function makeTestAuthority(folder: string, edition: Edition): TestAuthority {
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    "authority.key",
    "-out",
    "authority.pem",
    "-subj",
    "/CN=Crewdeck's test authority",
  );
  openssl(
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "crew.key",
    "-out",
    "crew.csr",
    "-subj",
    "/CN=crew.test",
  );
  writeFileSync(path.join(folder, "crew.ext"), "subjectAltName=DNS:crew.test");
  openssl(
    "x509",
    "-req",
    "-in",
    "crew.csr",
    "-CA",
    "authority.pem",
    "-CAkey",
    "authority.key",
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    "crew.ext",
    "-out",
    "crew.pem",
  );
  const authority = path.join(folder, "authority.pem");
  if (edition === "oldest") return { folder, environment: { NODE_EXTRA_CA_CERTS: authority } };
  const bundle = path.join(folder, "machine.pem");
  const own = machineAuthorities.find((file) => existsSync(file));
  writeFileSync(
    bundle,
    `${own === undefined ? "" : readFileSync(own, "utf8")}\n${readFileSync(authority, "utf8")}`,
  );
  return { folder, environment: { SSL_CERT_FILE: bundle } };
}
