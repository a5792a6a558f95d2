import { useEffect, useState } from "preact/hooks";
import { lengthText } from "../../views/lengths.ts";
import { useTexts } from "./texts.ts";

/** A text, or since when it counts (milliseconds since 1970). */
export function Elapsed({ elapsed }: { readonly elapsed: string | number }) {
  const { units } = useTexts();
  const [now, setNow] = useState(Date.now());
  const isRunning = typeof elapsed === "number";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <span class="elapsed" role="timer">
      {isRunning ? lengthText(now - elapsed, units, "seconds") : elapsed}
    </span>
  );
}
