import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageTexts } from "../../views/page/messages.ts";

export const Texts = createContext<PageTexts | undefined>(undefined);

export function useTexts(): PageTexts {
  const texts = useContext(Texts);
  if (texts === undefined) throw new Error("The page has no texts yet.");
  return texts;
}
