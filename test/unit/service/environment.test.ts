import assert from "node:assert/strict";
import { variablesOfText } from "../../../src/service/crewai/environment.ts";

describe("the variables of a project's .env", () => {
  it("are all of its own values, and bounded ones of what these name, however often", () => {
    const long = `A=${"x".repeat(50_000)}\n`;
    const many = Array.from({ length: 3_000 }, (_, index) => `V${index}=own${index}\${A}\${A}`);
    const variables = variablesOfText(
      `SHORT=x\nTWICE=\${SHORT}\${SHORT}\n${long}${many.join("\n")}`,
    );
    const values = new Set(variables.map(([, value]) => value));
    for (const value of ["x", "xx", "own0${A}${A}", "own2999${A}${A}"])
      assert.ok(values.has(value), value);
    const length = variables.reduce((sum, [, value]) => sum + value.length, 0);
    assert.ok(length < 1_000_000, `${length} characters`);
  });
});
