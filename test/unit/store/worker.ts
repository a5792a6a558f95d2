// Another window on the same database: runs each request and answers with the result.
import { systemClock } from "../../../src/base/clock.ts";
import { Database } from "../../../src/store/database.ts";

export type Request =
  | { readonly do: "put"; readonly crew: string; readonly json: string; readonly times?: number }
  | { readonly do: "crews" | "changes" | "look" };

export interface Answer {
  readonly error?: string;
  readonly crews?: readonly unknown[];
  /** Changes elsewhere and damage reported so far. */
  readonly changes?: number;
  readonly damage?: readonly string[];
}

const [, , folder = ""] = process.argv;
const damage: string[] = [];
let changes = 0;
const database = new Database({
  folder,
  clock: systemClock,
  log: { problem: () => undefined },
  onDamage: (message) => damage.push(message),
});
database.onDidChangeElsewhere(() => changes++);

process.on("message", (request: Request) => {
  try {
    process.send?.(answerTo(request));
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});

function answerTo(request: Request): Answer {
  switch (request.do) {
    case "put":
      for (let time = 0; time < (request.times ?? 1); time++)
        database.run(
          "INSERT OR REPLACE INTO crew_values VALUES ('test', ?, ?)",
          request.times === undefined ? request.crew : `${request.crew} ${time}`,
          request.json,
        );
      return {};
    case "look":
      database.look();
      return { changes, damage };
    case "changes":
      return { changes, damage };
    case "crews":
      return {
        damage,
        crews: database
          .all("SELECT crew_id, json FROM crew_values WHERE kind = 'test' ORDER BY rowid")
          .map((row) => row["crew_id"]),
      };
  }
}
