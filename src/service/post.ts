import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { CallbackNetworks } from "./networks.ts";

/** How much of a response is read to let its receiver finish (bytes). */
const longestRead = 100_000;

/**
 * Sends JSON to any port: `fetch` blocks some. Doesn't follow a redirect, which would send outputs and credentials to
 * another address. Rejects if the receiver doesn't accept it in time.
 * @param networks to which it is sent; undefined for any
 */
export function post(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
  networks?: CallbackNetworks,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = new URL(address);
    const signal = AbortSignal.timeout(timeoutMs);
    const request = (url.protocol === "https:" ? requestSecure : requestPlain)(url, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        // Receivers close unused connections, and what is sent at that moment fails.
        Connection: "close",
      },
      signal,
      ...networks?.optionsFor(url),
    });
    request.on("response", (response) => {
      const { statusCode = 0 } = response;
      let length = 0;
      response
        .on("error", () => undefined)
        .on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > longestRead) request.destroy();
        });
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`The receiver answered ${statusCode}.`));
    });
    request.on("error", (error) => {
      const late = `The receiver did not answer within ${timeoutMs / 1000} s.`;
      reject(signal.aborted ? new Error(late) : error);
    });
    request.end(body);
  });
}
