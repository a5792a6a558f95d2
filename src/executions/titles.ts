import type { JsonValue } from "../api/types.ts";
import type { ExecutionSummary, Title } from "./model.ts";
import { titleFrom } from "./title.ts";

/** Executions of one crew whose titles are the same but for their numbers. */
interface Namesakes {
  /** By local id, in the order of their start from 1. */
  readonly numbers: Map<string, number>;
  /** When the newest was started, as {@link startOf} says. */
  newest: string;
}

/** Titles of one crew's executions, as far as somebody asked for them. */
interface Made {
  /** Inputs in which the executions differ. */
  readonly names: readonly string[];
  /** Titles without their numbers, by local id. */
  readonly texts: Map<string, string>;
  readonly namesakes: Map<string, Namesakes>;
}

/**
 * Titles of all executions. To add or remove one costs a look at its own inputs; only where the executions of a crew now differ in other
 * inputs than before are all titles of that crew made again, once.
 */
export class Titles {
  readonly #crews = new Map<string, CrewTitles>();
  readonly #retitled = new Set<string>();

  /** Takes over an execution in another one's place; one of the two may be missing. */
  put(before: ExecutionSummary | undefined, after: ExecutionSummary | undefined): void {
    const isOther = before !== undefined && before.crew.id !== after?.crew.id;
    if (isOther) {
      this.#of(before.crew.id).put(before, undefined);
    }
    if (after !== undefined) {
      this.#of(after.crew.id).put(isOther ? undefined : before, after);
    }
  }

  titleOf({ crew, localId }: ExecutionSummary): Title | undefined {
    return this.#crews.get(crew.id)?.title(localId);
  }

  /** Local ids of executions whose title became another one since the last time this was asked; none whose title nobody asked for. */
  takeRetitled(): readonly string[] {
    for (const crew of this.#crews.values()) {
      crew.settle();
    }
    const taken = [...this.#retitled];
    this.#retitled.clear();
    return taken;
  }

  #of(crewId: string): CrewTitles {
    const known = this.#crews.get(crewId) ?? new CrewTitles(this.#retitled);
    this.#crews.set(crewId, known);
    return known;
  }
}

class CrewTitles {
  readonly #retitled: Set<string>;
  readonly #members = new Map<string, ExecutionSummary>();
  /** How many executions were started with each value of each input. */
  readonly #values = new Map<string, Map<string, number>>();
  /** How many are known with their inputs. */
  #started = 0;
  #made: Made | undefined;
  #isStale = false;

  constructor(retitled: Set<string>) {
    this.#retitled = retitled;
  }

  put(before: ExecutionSummary | undefined, after: ExecutionSummary | undefined): void {
    // Nothing is counted before somebody asks for a title.
    if (this.#made !== undefined && before?.request !== after?.request) {
      this.#count(before, -1);
      this.#count(after, 1);
    }
    if (before !== undefined) {
      this.#members.delete(before.localId);
    }
    if (after !== undefined) {
      this.#members.set(after.localId, after);
    }
    if (this.#made === undefined || this.#isStale) {
      return;
    }
    const { names, texts } = this.#made;
    this.#isStale = this.#distinguishing().join("\n") !== names.join("\n");
    const localId = (after ?? before)?.localId ?? "";
    const [was, is] = [texts.get(localId), after && titleFrom(after, names)];
    if (this.#isStale || (was === is && before?.startedAt === after?.startedAt)) {
      return;
    }
    this.#leave(localId);
    if (after !== undefined && is !== undefined) {
      this.#isStale = !this.#join(after, is);
    }
  }

  title(localId: string): Title | undefined {
    if (this.#made === undefined) {
      for (const member of this.#members.values()) this.#count(member, 1);
      this.#made = this.#make();
    }
    this.settle();
    return titleIn(this.#made, localId);
  }

  /** Makes the titles anew where that is due and somebody asked for them before. */
  settle(): void {
    const before = this.#made;
    if (before === undefined || !this.#isStale) {
      return;
    }
    const after = this.#make();
    this.#made = after;
    this.#isStale = false;
    for (const localId of this.#members.keys()) {
      const [was, is] = [titleIn(before, localId), titleIn(after, localId)];
      if (was?.text !== is?.text || was?.isShared !== is?.isShared) {
        this.#retitled.add(localId);
      }
    }
  }

  /** All titles. The numbers follow from the executions alone, so that every window shows the same ones. */
  #make(): Made {
    const made: Made = { names: this.#distinguishing(), texts: new Map(), namesakes: new Map() };
    const oldestFirst = [...this.#members.values()]
      .map((execution) => ({ execution, start: startOf(execution) }))
      .sort((a, b) => (a.start < b.start ? -1 : 1));
    for (const { execution } of oldestFirst) {
      const text = titleFrom(execution, made.names);
      add(made, execution, text);
    }
    return made;
  }

  /** False where it was not started last of those with its title, so that its number is another one's. */
  #join(execution: ExecutionSummary, text: string): boolean {
    const made = this.#made;
    const namesakes = made?.namesakes.get(text);
    if (made === undefined || (namesakes !== undefined && startOf(execution) < namesakes.newest)) {
      return false;
    }
    this.#noteOnly(namesakes);
    this.#retitled.add(execution.localId);
    add(made, execution, text);
    return true;
  }

  #leave(localId: string): void {
    const text = this.#made?.texts.get(localId) ?? "";
    const namesakes = this.#made?.namesakes.get(text);
    const number = namesakes?.numbers.get(localId);
    if (namesakes === undefined || number === undefined) {
      return;
    }
    this.#made?.texts.delete(localId);
    namesakes.numbers.delete(localId);
    for (const [other, later] of namesakes.numbers) {
      if (later > number) {
        namesakes.numbers.set(other, later - 1);
        this.#retitled.add(other);
      }
    }
    this.#noteOnly(namesakes);
    if (namesakes.numbers.size === 0) {
      this.#made?.namesakes.delete(text);
    }
  }

  /** Whether others have the same title changes for the one that had it alone, or has it alone now. */
  #noteOnly(namesakes: Namesakes | undefined): void {
    if (namesakes?.numbers.size === 1) {
      for (const localId of namesakes.numbers.keys()) {
        this.#retitled.add(localId);
      }
    }
  }

  #count(execution: ExecutionSummary | undefined, change: 1 | -1): void {
    if (execution?.request === undefined) {
      return;
    }
    this.#started += change;
    for (const [name, value] of Object.entries(execution.request.inputs)) {
      const counts = this.#values.get(name) ?? new Map<string, number>();
      const key = keyFor(value);
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) {
        counts.delete(key);
      } else {
        counts.set(key, count);
      }
      this.#values.set(name, counts);
    }
  }

  /** The inputs in which the executions differ; one that only some of them have is among these. */
  #distinguishing(): readonly string[] {
    return [...this.#values].flatMap(([name, counts]) => {
      const [only] = counts.values();
      return counts.size > 1 || (only !== undefined && only < this.#started) ? [name] : [];
    });
  }
}

function add({ texts, namesakes }: Made, execution: ExecutionSummary, text: string): void {
  const found = namesakes.get(text) ?? { numbers: new Map<string, number>(), newest: "" };
  found.newest = startOf(execution);
  found.numbers.set(execution.localId, found.numbers.size + 1);
  namesakes.set(text, found);
  texts.set(execution.localId, text);
}

function titleIn({ texts, namesakes }: Made, localId: string): Title | undefined {
  const text = texts.get(localId);
  const found = text === undefined ? undefined : namesakes.get(text);
  const number = found?.numbers.get(localId);
  if (text === undefined || found === undefined || number === undefined) {
    return undefined;
  }
  return { text: number === 1 ? text : `${text} (${number})`, isShared: found.numbers.size > 1 };
}

/** Times in ISO 8601 compare as text. */
function startOf({ startedAt, localId }: ExecutionSummary): string {
  return `${startedAt} ${localId}`;
}

/** Tells values apart. A text is its own key: a long one is not copied. */
function keyFor(value: JsonValue): string {
  return typeof value === "string" ? value : `\0${JSON.stringify(value)}`;
}
