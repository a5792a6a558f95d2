// Runs the tests of the worker (test/python) with pytest, in an environment with crewAI; --crewai VERSION takes another one than the
// newest. Other arguments name files or tests, as pytest's do.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { newestCrewai, pythonWithPackages } from "../test/support/crewai.ts";
import { projectFolder } from "../test/support/folders.ts";

const { values, positionals } = parseArgs({
  options: { crewai: { type: "string", default: newestCrewai } },
  allowPositionals: true,
});
const python = await pythonWithPackages(values.crewai, "pytest>=9,<10", "mypy>=2,<3");
const args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "count_report"];
const { status } = spawnSync(
  python,
  [...args, ...(positionals.length > 0 ? positionals : ["test/python"])],
  {
    cwd: projectFolder,
    stdio: "inherit",
    env: { ...process.env, PYTHONPATH: path.join(projectFolder, "test", "support", "python") },
  },
);
process.exitCode = status ?? 1;
