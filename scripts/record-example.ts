// Records the tests of the example crew again: after a change of its prompts, or of the tests' version of crewAI, to which recordings
// belong. This program answers in place of a model.
import { execFile } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { crewaiEnv, newestCrewai, pythonWith } from "../test/support/crewai.ts";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { startModelServer, type ModelRequest } from "../test/support/model-server.ts";

const findings = {
  tea: `What is known about tea at work:

- A cup of black tea has about half as much caffeine as a cup of coffee (food safety authority, 2015).
- Green tea turns bitter above 80 °C (tea research institute).
- Assam keeps its taste in hard water (tasting in our kitchen).
- Nobody knows how many cups are drunk here in a day (open question).`,
  bicycles: `What is known about bicycles:

- Most trips in the town are shorter than five kilometres (traffic count, 2024).
- Separate lanes lower the number of accidents (road safety report).
- A bell is required on every bicycle (road traffic act).`,
};

const outlines = {
  long: `# Tea at work

## 1. Where is it?
## 2. How is it made?
## 3. Who fills the kettle?
## 4. How much is too much?`,
  short: `# Tea at work

## 1. Where is it?
## 2. How is it made?`,
  bicycles: `# Bicycles

## 1. What is the question?
## 2. What helps?`,
};

const briefings = {
  tea: `# Tea at work

## Where is it?
Tea is in the kitchen on the second floor, on the shelf above the kettle. The Assam is a good one to begin with: it keeps its taste in
our hard water.

## How is it made?
Pour boiling water over black tea, and wait four minutes. Let the water cool for a minute before you pour it over green tea, or it turns
bitter. A cup of black tea has about half the caffeine of a cup of coffee, so two cups wake you like one coffee.`,
  council: `# Bicycles

## What is the question?
Most trips in our town are shorter than five kilometres, and most are made by car.

## What helps?
Separate lanes make cycling safer. A first step is a lane from the station to the school.`,
  children: `# Bicycles

## What is the question?
Can you ride to school by yourself?

## What helps?
Your bicycle needs two good brakes, a light and a bell. Ring the bell when you want to pass.`,
};

function answer({ prompt }: ModelRequest): string {
  const topic = prompt.includes("bicycles") ? "bicycles" : "tea";
  if (prompt.includes("You grade a text")) return '{"grade": 9, "reason": "The words are plain."}';
  if (prompt.includes("Write the briefing on"))
    return topic === "tea"
      ? briefings.tea
      : prompt.includes("for children")
        ? briefings.children
        : briefings.council;
  if (!prompt.includes("Turn the findings")) return findings[topic];
  return topic === "bicycles"
    ? outlines.bicycles
    : prompt.includes("two sections")
      ? outlines.short
      : outlines.long;
}

const example = path.join(projectFolder, "media", "example-crew");
const copy = path.join(temporaryFolder("example"), "example_crew");
cpSync(example, copy, { recursive: true });
const model = await startModelServer(answer);
const program = path.join(projectFolder, "dist", "service.mjs");
const python = await pythonWith(newestCrewai);
const env = { PATH: process.env["PATH"], ...crewaiEnv(model) };
const args = [program, "test", "--record", "--python", python];
const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: copy, env });
console.log(stdout);
for (const name of readdirSync(path.join(copy, "tests")))
  if (name.endsWith(".recording.jsonl"))
    cpSync(path.join(copy, "tests", name), path.join(example, "tests", name));
await model.stop();
