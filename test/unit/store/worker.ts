// Another window on the same database: runs each request and answers with the result.
import { systemClock } from "../../../src/base/clock.ts";
import { Database } from "../../../src/store/database.ts";
import { crews, put } from "./support.ts";

export type Request =
  | { readonly do: "put"; readonly crew: string; readonly json: string; readonly times?: number }
  | { readonly do: "crews" | "look" };

export interface Answer {
  readonly error?: string;
  readonly crews?: readonly unknown[];
  /** Damage reported so far. */
  readonly damage?: readonly string[];
}

const [, , folder = ""] = process.argv;
const damage: string[] = [];
const database = new Database({
  folder,
  clock: systemClock,
  log: { problem: () => undefined },
  onDamage: (message) => damage.push(message),
});

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
        put(database, request.times ? `${request.crew} ${time}` : request.crew, request.json);
      return {};
    case "look":
      database.look();
      return { damage };
    case "crews":
      return { crews: crews(database), damage };
  }
}
