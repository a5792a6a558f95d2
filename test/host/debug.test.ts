import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import type { Crew } from "../../src/crews/types.ts";
import { awaitCrewInDebugger } from "../../src/local/engines.ts";
import { temporaryFolder } from "../support/folders.ts";

/** A project whose environment has these packages, as files say. */
function crewWith(...packages: readonly string[]): Crew {
  const folder = temporaryFolder("debugged");
  const site = path.join(folder, ".venv/lib/python3.12/site-packages");
  for (const name of packages) mkdirSync(path.join(site, name), { recursive: true });
  mkdirSync(path.join(folder, ".venv/bin"));
  writeFileSync(path.join(folder, ".venv/bin/python"), "");
  const local = { folder: vscode.Uri.file(folder).toString(), engine: "crewai", running: true };
  return { id: "local:x", name: "Desk", url: "", local: { ...local, engine: "crewai" } };
}

const all = ["crewai", "crewai-1.15.30.dist-info", "debugpy"];

describe("debugging a crew", () => {
  const { getExtension } = vscode.extensions;
  const { startDebugging, onDidReceiveDebugSessionCustomEvent, onDidTerminateDebugSession } =
    vscode.debug;
  const { showWarningMessage } = vscode.window;
  let asked: unknown[];
  let tell: (event: vscode.DebugSessionCustomEvent) => void;
  let end: (session: vscode.DebugSession) => void;

  beforeEach(() => {
    asked = [];
    Object.assign(vscode.extensions, {
      getExtension: (id: string) => (id === "ms-python.debugpy" ? {} : getExtension(id)),
    });
    Object.assign(vscode.debug, {
      onDidReceiveDebugSessionCustomEvent: (listener: typeof tell) => {
        tell = listener;
        return new vscode.Disposable(() => undefined);
      },
      onDidTerminateDebugSession: (listener: typeof end) => {
        end = listener;
        return new vscode.Disposable(() => undefined);
      },
    });
  });

  afterEach(() => {
    Object.assign(vscode.extensions, { getExtension });
    Object.assign(vscode.debug, {
      ...{ startDebugging, onDidReceiveDebugSessionCustomEvent, onDidTerminateDebugSession },
    });
    Object.assign(vscode.window, { showWarningMessage });
  });

  function starts(start: (name: string) => Thenable<boolean>): void {
    Object.assign(vscode.debug, {
      startDebugging: (_: unknown, wanted: vscode.DebugConfiguration) => {
        asked.push(wanted);
        return start(wanted.name);
      },
    });
  }

  it("waits for its Python at the port that the debugger names", async () => {
    starts((name) => {
      for (const of of ["another", name]) {
        const session = { name: of } as vscode.DebugSession;
        const body = { host: "127.0.0.1", port: of === name ? 5678 : 1 };
        tell({ session, event: "debugpyWaitingForServer", body });
      }
      // It attaches later.
      return new Promise(() => undefined);
    });
    assert.equal(await awaitCrewInDebugger(crewWith(...all)), 5678);
    const listen = { host: "127.0.0.1", port: 0 };
    const name = "Crew “Desk”";
    assert.deepEqual(asked, [{ type: "debugpy", request: "attach", name, listen }]);
  });

  it("sends nothing if a person stops the debugger before it waits", async () => {
    starts((name) => {
      end({ name } as vscode.DebugSession);
      return Promise.resolve(true);
    });
    await assert.rejects(awaitCrewInDebugger(crewWith(...all)), /debugger did not start/);
  });

  it("sends nothing if the debugger doesn't start, is missing, or isn't to be installed", async () => {
    starts(() => Promise.resolve(false));
    await assert.rejects(awaitCrewInDebugger(crewWith(...all)), /debugger did not start/);
    Object.assign(vscode.window, {
      showWarningMessage: (...given: unknown[]) => {
        asked.push(given[0], JSON.stringify(given[1]));
        return Promise.resolve(undefined);
      },
    });
    const crew = crewWith(...all.slice(0, 2));
    await assert.rejects(awaitCrewInDebugger(crew), /debugpy is not installed for “Desk”/);
    assert.equal(asked[1], "Install debugpy for “Desk”?");
    assert.match(String(asked[2]), /-m pip install debugpy/);
    Object.assign(vscode.extensions, { getExtension });
    await assert.rejects(
      awaitCrewInDebugger(crewWith(...all)),
      /install the extension “Python Debugger”/,
    );
    rmSync(vscode.Uri.parse(crew.local?.folder ?? "").fsPath, { recursive: true });
  });
});
