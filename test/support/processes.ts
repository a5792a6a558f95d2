import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { waitFor } from "./wait.ts";

export interface RunningProcess {
  pid: number;
  parent: number;
  /** The process group: that of the process that was started `detached`, unless a child left it. */
  group: number;
  command: string;
}

/** All processes of this machine that are not zombies. */
export function runningProcesses(): RunningProcess[] {
  return process.platform === "linux" ? fromProc() : fromListing();
}

/** The processes below one, and those of the group it leads, itself included. */
export function familyOf(leader: number): RunningProcess[] {
  const all = runningProcesses();
  const family = new Set(
    all.filter((one) => one.pid === leader || one.group === leader).map((one) => one.pid),
  );
  let before = -1;
  while (family.size > before) {
    before = family.size;
    for (const one of all) if (family.has(one.parent)) family.add(one.pid);
  }
  return all.filter((one) => family.has(one.pid));
}

/** Ends a process that was started `detached` with all its children: SIGTERM first, SIGKILL after `patience` milliseconds. */
export async function endFamily(leader: number, patience = 5_000): Promise<void> {
  const family = new Set(familyOf(leader).map((one) => one.pid));
  const left = (): RunningProcess[] =>
    runningProcesses().filter((one) => family.has(one.pid) || one.group === leader);
  for (const pid of family) signal(pid, "SIGTERM");
  try {
    await waitFor("processes to end", () => left().length === 0, patience);
  } catch {
    // What still runs is killed.
    for (const one of left()) signal(one.pid, "SIGKILL");
    await waitFor("killed processes to end", () => left().length === 0);
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function fromProc(): RunningProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        // After the program's name, which is in brackets and may hold spaces: state, parent, group.
        const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        if (state === "Z") return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
      } catch {
        // The process ended while it was being read.
        return [];
      }
    });
}

/** Windows has no groups. */
function fromListing(): RunningProcess[] {
  const shown = '"$($_.ProcessId) $($_.ParentProcessId) 0 R $($_.CommandLine)"';
  const query = `Get-CimInstance Win32_Process | ForEach-Object { ${shown} }`;
  const [program, args] =
    process.platform === "win32"
      ? ["powershell", ["-NoProfile", "-Command", query]]
      : ["ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,args="]];
  const lines = execFileSync(program, args, { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, group, state, command] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (state === undefined || state.startsWith("Z")) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), command: command ?? "" },
    ];
  });
}

export function isRunning(pid: number): boolean {
  return runningProcesses().some((one) => one.pid === pid);
}

export function childrenOf(pid: number): number[] {
  return runningProcesses().flatMap((one) => (one.parent === pid ? [one.pid] : []));
}
