import { useEffect, useState } from "preact/hooks";
import { fill } from "../../kickoff/form/messages.ts";
import type { PageTexts } from "../../views/page/messages.ts";
import { useTexts } from "./texts.ts";

/** A text, or since when it counts (milliseconds since 1970). */
export function Elapsed({ elapsed }: { readonly elapsed: string | number }) {
  const { spans } = useTexts();
  const [now, setNow] = useState(Date.now());
  const isRunning = typeof elapsed === "number";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <span class="elapsed" role="timer">
      {isRunning ? spanOf(now - elapsed, spans) : elapsed}
    </span>
  );
}

function spanOf(milliseconds: number, spans: PageTexts["spans"]): string {
  const all = Math.max(0, Math.floor(milliseconds / 1_000));
  if (all < 60) return fill(spans.seconds, all);
  if (all < 3_600) return fill(spans.minutes, Math.floor(all / 60), all % 60);
  if (all < 86_400) return fill(spans.hours, Math.floor(all / 3_600), Math.floor(all / 60) % 60);
  return fill(spans.days, Math.floor(all / 86_400), Math.floor(all / 3_600) % 24);
}
