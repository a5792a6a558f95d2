import { lengthText } from "../../view/lengths.ts";
import { useNow } from "../timeline/clock.ts";
import { useTexts } from "./texts.ts";

/** A text, or since when it counts (milliseconds since 1970). */
export function Elapsed({ elapsed }: { readonly elapsed: string | number }) {
  const { units } = useTexts();
  const isRunning = typeof elapsed === "number";
  const now = useNow(isRunning);
  return (
    <span class="elapsed" role="timer">
      {isRunning ? lengthText(now - elapsed, units, "seconds") : elapsed}
    </span>
  );
}
