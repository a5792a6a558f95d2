import assert from "node:assert/strict";
import { Refusal } from "../../../../src/service/errors.ts";
import { readOptions } from "../../../../src/service/options.ts";

describe("service: options of operations", () => {
  const refused = (args: readonly string[], env: Record<string, string>, expected: RegExp) =>
    assert.throws(
      () => readOptions(args, env),
      (error) =>
        error instanceof Refusal && error.reason === "options" && expected.test(error.message),
    );

  it("are off by default", () => {
    const { log, metricsToken, keepDays, spans } = readOptions([], {});
    assert.deepEqual(
      [log, metricsToken, keepDays, spans],
      [undefined, undefined, undefined, undefined],
    );
  });

  it("come from the command line, and secrets and the endpoint from the environment, too", () => {
    const args = ["--log", "json", "--keep-days", "30", "--otlp-content"];
    const options = readOptions(args, {
      CREWDECK_METRICS_TOKEN: "0123456789abcdef",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test/base/",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20key, x-project=a%2Cb",
    });
    assert.deepEqual([options.log, options.keepDays], ["json", 30]);
    assert.equal(options.metricsToken, "0123456789abcdef");
    assert.equal(options.spans?.url.href, "https://otel.test/base/v1/traces");
    assert.deepEqual(options.spans.headers, { Authorization: "Bearer key", "x-project": "a,b" });
    assert.equal(options.spans.hasContent, true);
    const other = readOptions(["--otlp-endpoint", "http://127.0.0.1:4318/v1/traces"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test",
    });
    assert.equal(other.spans?.url.href, "http://127.0.0.1:4318/v1/traces");
  });

  it("are refused with what to do, without repeating a secret", () => {
    refused(["--log", "xml"], {}, /--log xml: expected "text" or "json"/);
    for (const days of ["0", "-1", "1.5", "week", "36501", "9".repeat(400)])
      refused([`--keep-days=${days}`], {}, /--keep-days .+ whole number from 1 to 36500/);
    const secret = /^(?![^]*s3cret)[^]*/;
    for (const expected of [
      /--metrics-token \(or CREWDECK_METRICS_TOKEN\): expected at least 16/,
      secret,
    ])
      refused(["--metrics-token", "s3cret"], {}, expected);
    for (const expected of [
      /--otlp-endpoint \(or OTEL_EXPORTER_OTLP_ENDPOINT\): expected an address/,
      secret,
    ])
      refused(["--otlp-endpoint", "https://u:s3cret@otel.test"], {}, expected);
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: "x-key=s3cret" };
    for (const expected of [/only to an address that begins with https/, secret])
      refused(["--otlp-endpoint", "http://otel.test"], headers, expected);
    for (const expected of [/OTEL_EXPORTER_OTLP_HEADERS: expected NAME=VALUE/, secret])
      refused(
        ["--otlp-endpoint", "https://otel.test"],
        { OTEL_EXPORTER_OTLP_HEADERS: "s3 cret" },
        expected,
      );
  });
});
