import assert from "node:assert/strict";
import { Agent } from "node:https";
import type { LookupFunction } from "node:net";
import nodeFetch from "node-fetch";
import type { CrewClient } from "../../../src/api/client.ts";
import type { CrewApiError } from "../../../src/api/errors.ts";
import type { Fetch } from "../../../src/api/transport.ts";
import { makeCertificate, MisbehavingServer } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf, token } from "./support.ts";

const kickoff = (client: CrewClient): Promise<CrewApiError> =>
  errorOf(client.kickoff({ inputs: {} }));

describe("a crew that can't be reached", () => {
  it("reports a refused connection", async () => {
    const server = await MisbehavingServer.start();
    const { url } = server;
    await server.stop();
    const error = await kickoff(clientOf(url));
    assert.deepEqual([error.kind, error.reason, error.sent], ["unreachable", "refused", "no"]);
    assert(error.message.includes(new URL(url).host));
  });

  it("reports an unknown host name", async () => {
    const lookup: LookupFunction = (host, _options, done) =>
      done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), "", 4);
    const fetch: Fetch = (url, init) => nodeFetch(url, { ...init, agent: new Agent({ lookup }) });
    const error = await kickoff(clientOf("https://crew.invalid", { fetch }));
    assert.deepEqual([error.kind, error.reason, error.sent], ["unreachable", "dns", "no"]);
    assert.match(error.message, /crew\.invalid/);
  });

  describe("over TLS", () => {
    let secure: MisbehavingServer;
    const trusting =
      (ca: string): Fetch =>
      (url, init) =>
        nodeFetch(url, { ...init, agent: new Agent({ ca }) });

    it("refuses a self-signed certificate", async () => {
      secure = await MisbehavingServer.start(await makeCertificate("IP:127.0.0.1"));
      const error = await kickoff(clientOf(secure.url));
      const cause = [error.kind, error.reason, error.sent];
      assert.deepEqual(cause, ["unreachable", "certificate", "no"]);
      assert.match(error.message, /secure connection .* could not be established \(.*SELF_SIGNED/);
      assert.match(error.remedy, /http\.systemCertificates/);
      assert.equal(secure.requests.length, 0, "the token must not have been sent");
    });

    it("refuses a certificate for another name", async () => {
      const certificate = await makeCertificate("DNS:crew.test");
      secure = await MisbehavingServer.start(certificate);
      const error = await kickoff(clientOf(secure.url, { fetch: trusting(certificate.cert) }));
      assert.equal(error.reason, "certificate");
      assert.match(error.message, /ALTNAME_INVALID/);
      assert.equal(secure.requests.length, 0);
    });
  });

  describe("with an error of the network", () => {
    const failure = (code: string | undefined, message = "", more: object = {}): Error =>
      Object.assign(new Error(message), code === undefined ? {} : { code }, more);
    const prefix = "request to https://crew.example/kickoff failed, reason: ";
    const refusedAt = (address: string) =>
      failure("ECONNREFUSED", `${prefix}connect ECONNREFUSED ${address}`);
    const noNetwork = failure("ENETUNREACH", `${prefix}connect ENETUNREACH 10.0.0.1:443`);
    const inside = failure(undefined, "fetch failed", { cause: failure("ENOTFOUND") });
    const several = failure(undefined, "", {
      errors: [failure(undefined), failure("ECONNREFUSED")],
    });
    const issuer = failure("UNABLE_TO_GET_ISSUER_CERT_LOCALLY");
    const handshake = failure("ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE");
    const record = failure("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC");
    const before =
      "Client network socket disconnected before secure TLS connection was established";
    const version =
      "write EPROTO 40:error:0A00010B:SSL routines:ssl3_get_record:wrong version number";
    const noTunnel = `${prefix}tunneling socket could not be established, statusCode=403`;
    const noProxy = "Failed to establish a socket connection to proxies: PROXY me:secret@p:1";
    const table: readonly (readonly [
      what: string,
      failure: unknown,
      reason: string,
      sent: string,
      message: RegExp,
    ])[] = [
      ["a temporary DNS failure", failure("EAI_AGAIN"), "dns", "no", /EAI_AGAIN/],
      ["a proxy refusing", refusedAt("10.0.0.1:3128"), "proxy", "no", /proxy/],
      ["the crew refusing", refusedAt("10.0.0.1:443"), "refused", "no", /ECONNREFUSED/],
      ["a tunnel refused", failure(undefined, noTunnel), "proxy", "no", /proxy/],
      ["a proxy's own message", failure(undefined, noProxy), "proxy", "no", /: PROXY p:1\)/],
      [
        "an expired certificate",
        failure("CERT_HAS_EXPIRED"),
        "certificate",
        "no",
        /CERT_HAS_EXPIRED/,
      ],
      ["an unknown issuer", issuer, "certificate", "no", /UNABLE_TO_GET/],
      ["a handshake cut off", failure("ECONNRESET", before), "reset", "no", /ECONNRESET/],
      ["a handshake refused", handshake, "certificate", "no", /secure connection/],
      ["another protocol", failure("EPROTO", version), "certificate", "no", /secure connection/],
      ["TLS that breaks later", record, "certificate", "maybe", /secure connection/],
      ["a reset", failure("ECONNRESET", "socket hang up"), "reset", "maybe", /ECONNRESET/],
      ["an unreachable network", noNetwork, "other", "no", /ENETUNREACH/],
      ["a cause inside", inside, "dns", "no", /ENOTFOUND/],
      ["several causes", several, "refused", "no", /ECONNREFUSED/],
      [
        "no code, and the token",
        failure(undefined, `bad ${token}`),
        "other",
        "maybe",
        /bad \[token\]/,
      ],
      ["a thrown text", `oops ${token}`, "other", "maybe", /oops/],
    ];
    for (const [what, thrown, reason, sent, message] of table)
      it(`reports ${what}`, async () => {
        let asked = 0;
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- anything can be thrown
        const fetch: Fetch = () => (asked++, Promise.reject(thrown));
        const error = await kickoff(clientOf("https://crew.example", { fetch }));
        assert.deepEqual([error.kind, error.reason, error.sent], ["unreachable", reason, sent]);
        assert.match(error.message, message);
        assert.match(error.remedy, /\.$/);
        assert.equal(asked, 1);
      });

    it("doesn't mistake a crew with “proxy” in its address for a proxy", async () => {
      const fetch: Fetch = (url) =>
        Promise.reject(failure("ECONNRESET", `request to ${url} failed, reason: socket hang up`));
      const reason = (await kickoff(clientOf("https://proxy.example/proxy/crew", { fetch })))
        .reason;
      assert.equal(reason, "reset");
    });
  });
});
