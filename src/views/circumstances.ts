import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { type Disposable, Disposables, Emitter } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { isInterrupted, type Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { Poller, PollerChange } from "../executions/poller.ts";
import { type Price, readPrices } from "../executions/tokens.ts";
import type { Outbox } from "../sending/outbox.ts";
import type { Circumstances } from "../view/actions.ts";
import { doubtOf } from "./doubt.ts";

interface Sources {
  readonly crews: Pick<Crews, "list" | "canStop" | "onDidChange">;
  readonly poller: Pick<Poller, "problemOf" | "onDidChange">;
  readonly outbox: Pick<Outbox, "isUnderWay">;
  readonly clock: Clock;
}

export class CurrentCircumstances implements Disposable {
  readonly #sources: Sources;
  readonly #owned = new Disposables();
  readonly #changed = this.#owned.add(
    new Emitter<PollerChange | undefined>((error) => logProblem("Showing a change", error)),
  );
  /** Fires with what it concerns, or undefined for all executions. */
  readonly onDidChange = this.#changed.event;
  /** By ID; cached, since the list reads the settings. */
  #connected: ReadonlyMap<string, Crew> | undefined;
  #prices: readonly Price[] | undefined;
  /** Local IDs of executions shown while being kicked off: a failed request doesn't change its execution. */
  readonly #kickingOff = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
    const { crews, poller } = sources;
    this.#owned.add(poller.onDidChange((change) => this.#changed.fire(change)));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration("crewdeck.prices")) return;
        this.#prices = undefined;
        this.#changed.fire(undefined);
      }),
    );
    this.#owned.add(
      crews.onDidChange(() => {
        this.#connected = undefined;
        this.#changed.fire(undefined);
      }),
    );
    this.#owned.add({ dispose: () => this.#cancel?.() });
  }

  get connected(): ReadonlyMap<string, Crew> {
    this.#connected ??= new Map(this.#sources.crews.list().map((crew) => [crew.id, crew]));
    return this.#connected;
  }

  get prices(): readonly Price[] {
    const setting = vscode.workspace.getConfiguration("crewdeck");
    return (this.#prices ??= readPrices(setting.get("prices")));
  }

  of(execution: ExecutionSummary): Circumstances {
    const { crews, poller } = this.#sources;
    const { kickoffIds } = execution;
    const crew = this.connected.get(execution.crew.id);
    return {
      doubt: doubtOf(execution, crew, poller),
      isKickingOff: this.#isKickingOff(execution),
      isInterrupted: isInterrupted(crew, kickoffIds),
      isCrewStopped: crew?.local?.running === false && crew.local.starting !== true,
      canStop: crew !== undefined && crews.canStop(crew.id),
      prices: this.prices,
    };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #isKickingOff({ state, localId }: ExecutionSummary): boolean {
    if (state !== "unconfirmed" || !this.#isUnderWay(localId)) return false;
    this.#kickingOff.add(localId);
    // Maybe another window sends it.
    this.#cancel ??= this.#sources.clock.after(1_000, () => {
      const localIds = [...this.#kickingOff];
      this.#kickingOff.clear();
      this.#cancel = undefined;
      // Whoever shows them asks again.
      this.#changed.fire({ crewIds: [], localIds });
    });
    return true;
  }

  #isUnderWay(localId: string): boolean {
    try {
      return this.#sources.outbox.isUnderWay({ kind: "kickoff", localId });
    } catch {
      // The database can't be read, which is reported elsewhere.
      return false;
    }
  }
}
