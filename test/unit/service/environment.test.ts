import assert from "node:assert/strict";
import { variablesOfText } from "../../../src/service/crewai/environment.ts";

describe("the variables of a project's .env", () => {
  it("are bounded, however many there are and however often they name each other", () => {
    const long = `A=${"x".repeat(50_000)}\n`;
    const many = Array.from({ length: 3_000 }, (_, index) => `V${index}=\${A}\${A}`).join("\n");
    const variables = variablesOfText(`${long}${many}\nSHORT=x`);
    assert.ok(variables.length <= 4_000, `${variables.length} variables`);
    assert.ok(variables.every(([, { length }]) => length <= 50_000));
  });
});
