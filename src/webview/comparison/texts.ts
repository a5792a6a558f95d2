import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ComparisonTexts } from "../../views/comparison/messages.ts";

export const OwnTexts = createContext<ComparisonTexts | undefined>(undefined);

export function useComparisonTexts(): ComparisonTexts {
  const texts = useContext(OwnTexts);
  if (texts === undefined) throw new Error("The comparison has no texts yet.");
  return texts;
}
