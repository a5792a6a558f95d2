import assert from "node:assert/strict";
import { describeTraffic } from "../../../src/crews/traffic.ts";

describe("the log line of an exchange", () => {
  it("tells the answer's status and time", () => {
    assert.equal(describeTraffic("Travel", { method: "POST", path: "/kickoff", status: 200, milliseconds: 179.6 }), "Travel → POST /kickoff ← 200 in 180 ms");
  });

  it("tells what went wrong where no answer came", () => {
    assert.equal(describeTraffic("Travel", { method: "GET", path: "/inputs", error: "timeout", milliseconds: 20_000 }), "Travel → GET /inputs ← timeout in 20000 ms");
  });
});
