// A window's host without VS Code, to be killed: it starts a crew's service as a window does, kicks off, and prints what the test needs.
import { startForWindow } from "./window-service.ts";

const [folder = ""] = process.argv.slice(2);
const service = await startForWindow({ folder, engine: { engine: "rehearsal" } });
const response = await fetch(`${service.url}/kickoff`, {
  method: "POST",
  headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
  body: JSON.stringify({ inputs: { topic: "tides", audience: "sailors" } }),
});
const { kickoff_id: id } = (await response.json()) as { kickoff_id: string };
const { url, token, dataFolder } = service;
process.stdout.write(`${JSON.stringify({ url, token, dataFolder, id })}\n`);
