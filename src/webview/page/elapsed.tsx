import { formatSpan } from "../../view/lengths.ts";
import { useNow } from "../timeline/clock.ts";

/** A text, or since when it counts (milliseconds since 1970). */
export function Elapsed({ elapsed }: { readonly elapsed: string | number }) {
  const isRunning = typeof elapsed === "number";
  const now = useNow(isRunning);
  return (
    <span class="elapsed" role="timer">
      {isRunning ? formatSpan(now - elapsed) : elapsed}
    </span>
  );
}
