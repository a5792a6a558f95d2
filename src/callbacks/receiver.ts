import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import { action, type ProblemLog, UserError } from "../base/errors.ts";
import type { Disposable } from "../base/events.ts";
import { readBytes } from "../base/files.ts";
import { receiverAddress } from "../base/loopback.ts";
import type { Paths } from "./paths.ts";
import { mostBytes, type Receive } from "./routes.ts";

/** How often a window tries to take over the port from the window that has it (ms). */
const takeOverEvery = 1_000;
/** How long another window may take to answer on a busy machine (ms). Another program is recognized at once by its answer. */
const windowAnswerMs = 10_000;

export class PortTakenError extends UserError {
  constructor(port: number) {
    super(
      l10n.t(
        "Another program uses the port {0}, to which the address in the setting crewdeck.callbacks.publicUrl leads: callbacks go to that program. End it, and they arrive here again. Or use another port, and let your tunnel or proxy lead to that one.",
        port,
      ),
      [action(l10n.t("Use Another Port"), "crewdeck.testCallbacks", { isNewPort: true })],
    );
  }
}

interface ReceiverOptions extends ListenerOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: ProblemLog;
  /** Whether the person's own tunnel leads to the stored port, so that the port must not change. */
  readonly isPortNeeded: () => boolean;
  /** Called when this window begins to receive for all windows, and when it ends. */
  readonly onReceiving: (isReceiving: boolean) => void;
}

/** The first window listens for all, on one port. When it closes, another takes it over. */
export class Receiver implements Disposable {
  readonly #options: ReceiverOptions;
  #listener: Listener | undefined;
  #starting: Promise<number> | undefined;
  #isWanted = false;
  #cancelRetry: (() => void) | undefined;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#isWanted;
  }

  /** @throws {PortTakenError} if it may not move. It then goes on trying, and receives once the port is free */
  async start(mayMove = !this.#options.isPortNeeded()): Promise<number> {
    this.#isWanted = true;
    this.#starting ??= this.#start(mayMove)
      .catch((error: unknown) => {
        this.#isWanted = error instanceof PortTakenError;
        throw error;
      })
      .finally(() => (this.#starting = undefined));
    return await this.#starting;
  }

  dispose(): void {
    this.stop();
  }

  stop(): void {
    this.#isWanted = false;
    this.#cancelRetry?.();
    if (this.#listener === undefined) return;
    this.#listener.close();
    this.#listener = undefined;
    this.#options.onReceiving(false);
  }

  async #start(mayMove: boolean): Promise<number> {
    const { paths, log } = this.#options;
    const kept = paths.port();
    if (this.#listener !== undefined)
      // All local data may have been deleted since.
      return kept === undefined
        ? paths.replacePort(kept, this.#listener.port)
        : this.#listener.port;
    if (kept !== undefined) {
      if (await this.#listen(kept)) return kept;
      const urlOf = (path: string) => receiverAddress(kept, path);
      if (typeof (await paths.roundTrip(urlOf, windowAnswerMs, true)) === "number") {
        this.#takeOverLater();
        return kept;
      }
      // The window that had it may have just closed.
      if (await this.#listen(kept)) return kept;
      if (!mayMove) {
        this.#takeOverLater();
        throw new PortTakenError(kept);
      }
    }
    // Another program has it, or there is none yet.
    const own = await openListener(0, this.#options);
    if (paths.replacePort(kept, own.port) !== own.port) {
      // Another window was faster.
      own.close();
      return await this.#start(mayMove);
    }
    if (kept !== undefined)
      log.problem(
        "Callbacks are received at another port. Crews that call back to the one before reach another program.",
        new Error(`It was ${kept}, and is ${own.port} now.`),
      );
    this.#keep(own);
    return own.port;
  }

  async #listen(port: number): Promise<boolean> {
    try {
      this.#keep(await openListener(port, this.#options));
      return true;
    } catch {
      return false;
    }
  }

  #keep(listener: Listener): void {
    this.#cancelRetry?.();
    if (!this.#isWanted) {
      listener.close();
      return;
    }
    this.#listener = listener;
    this.#options.onReceiving(true);
  }

  #takeOverLater(): void {
    const { clock, paths, log } = this.#options;
    this.#cancelRetry?.();
    const take = async () => {
      const port = paths.port();
      if (port !== undefined && (await this.#listen(port))) return;
      if (this.#isWanted) this.#takeOverLater();
    };
    this.#cancelRetry = clock.after(takeOverEvery, () => {
      take().catch((error: unknown) => {
        log.problem("Receiving callbacks could not be taken over from another window.", error);
        if (this.#isWanted) this.#takeOverLater();
      });
    });
  }
}

interface ListenerOptions {
  readonly receive: Receive;
  readonly isKnown: (path: string) => boolean;
  /** For the headers, and for the whole request (ms). */
  readonly timeoutMs?: number;
  readonly mostConnections?: number;
}

export type Listener = Awaited<ReturnType<typeof openListener>>;

export async function openListener(port: number, options: ListenerOptions) {
  const { timeoutMs = 10_000, mostConnections = 500 } = options;
  const server = createServer(
    {
      headersTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      connectionsCheckingInterval: Math.min(500, timeoutMs),
    },
    (request, response) => void answer(request, response, options),
  );
  server.maxConnections = mostConnections;
  // An error event without a listener would end the extension host.
  server.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
): Promise<void> {
  try {
    const status = await statusFor(request, options);
    // The rest of a body is not waited for. And a proxy would lose the callback that it sends on a kept connection
    // while this side closes that.
    response.writeHead(status, { Connection: "close" }).end();
  } catch {
    // The sender has gone, or was too slow.
    request.destroy();
  }
}

async function statusFor(request: IncomingMessage, { isKnown, receive }: ListenerOptions) {
  const { url: path = "/", method } = request;
  try {
    if (!isKnown(path)) return 404;
  } catch {
    // The database can't be read now.
    return 503;
  }
  if (method !== "POST") return 405;
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return 413;
  // By default, leaving the loop destroys the request, which then can't be answered.
  const parts = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  const { bytes: body, isTruncated, problem } = await readBytes(parts, mostBytes);
  if (problem instanceof Error) throw problem;
  if (isTruncated) return 413;
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return await receive({ path, headers: Object.fromEntries(headers), body });
}
