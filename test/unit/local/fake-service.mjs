// Speaks the service's protocol with its parent, and does nothing else. The name of its folder selects its fault.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

const [folder, , port, , data] = process.argv.slice(2);
const lock = join(data, "lock");
const fault = basename(folder);

function refuse(reason, message, more = {}) {
  process.exitCode = 5;
  process.send({ type: "refused", reason, message, ...more }, () => process.exit());
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function takeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const owner = Number(readFileSync(lock, "utf8"));
    if (owner === 0 || isAlive(owner)) return false;
    rmSync(lock, { force: true });
    return takeLock();
  }
}

function leave() {
  rmSync(join(data, "service.json"), { force: true });
  rmSync(lock, { force: true });
  process.exit();
}

console.error(`tokens ${process.env.CREWDECK_TOKEN} ${process.env.CREWDECK_USER_TOKEN}`);
console.error(`worker ${process.env.CREWDECK_WORKER_ENV}`);
process.on("message", (message) => console.error(`message ${JSON.stringify(message)}`));
console.log(`arguments ${process.argv.slice(2).join(" ")}`);
if (fault === "silent") setInterval(() => undefined, 1000);
else if (fault === "broken") refuse("project", "tasks.yaml is broken");
else if (fault === "dies") process.exit(9);
else if (!takeLock()) refuse("inUse", "in use");
else {
  const server = createServer((request, response) => {
    if (request.url === "/crash") process.exit(3);
    response.setHeader("Crewdeck-Instance", String(process.pid)).end(process.env.CREWDECK_TOKEN);
  });
  server.on("error", () => {
    rmSync(lock, { force: true });
    refuse("port", "the port is taken");
  });
  server.listen(Number(port), "127.0.0.1", () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    writeFileSync(
      join(data, "service.json"),
      JSON.stringify({
        url,
        port: server.address().port,
        pid: process.pid,
        instance: String(process.pid),
      }),
    );
    const engine = process.argv[process.argv.indexOf("--engine") + 1];
    process.send({ type: "listening", url, engine, pid: process.pid });
    let ids = fault === "interrupted" ? ["one", "two", 3] : [];
    // The parent may have left.
    process.send({ type: "held", ids }, () => undefined);
    process.on("message", (decision) => {
      if (decision.type === "workerEnvironment") return;
      console.log(`decision ${JSON.stringify(decision)}`);
      ids = ids.filter((id) => !decision.ids.includes(id));
      process.send({ type: "held", ids });
    });
  });
  if (fault !== "stubborn") process.once("disconnect", leave);
}
