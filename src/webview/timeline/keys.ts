import type { Row } from "../../views/timeline/rows.ts";

type KeyAction =
  | { readonly kind: "go"; readonly index: number }
  | { readonly kind: "zoom"; readonly factor: number | undefined }
  /** A part of what is shown. */
  | { readonly kind: "pan"; readonly share: number }
  /** To the next or previous mark of the row. */
  | { readonly kind: "mark"; readonly step: 1 | -1 }
  | { readonly kind: "toggle" | "reveal" | "define" | "details" | "search" };

/** As in VS Code's trees. @param page rows */
export function keyAction(
  { key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent,
  rows: readonly Row[],
  active: number,
  page: number,
): KeyAction | undefined {
  const row = rows[active];
  const go = (index: number) => ({ kind: "go" as const, index });
  if (altKey) return undefined;
  if (ctrlKey || metaKey) {
    if (key === "Enter") return { kind: "define" };
    return key === "f" ? { kind: "search" } : undefined;
  }
  switch (key) {
    case "ArrowDown":
      return go(active + 1);
    case "ArrowUp":
      return go(active - 1);
    case "PageDown":
      return go(active + page);
    case "PageUp":
      return go(active - page);
    case "Home":
      return go(0);
    case "End":
      return go(rows.length - 1);
    case "ArrowRight":
      if (shiftKey) return { kind: "pan", share: 0.25 };
      if (row?.isOpen === false) return { kind: "toggle" };
      return row?.isOpen === true ? go(active + 1) : undefined;
    case "ArrowLeft":
      if (shiftKey) return { kind: "pan", share: -0.25 };
      if (row?.isOpen === true) return { kind: "toggle" };
      return row && go(rows.findIndex(({ span }) => span.id === row.span.parentId));
    case "Enter":
      return { kind: "reveal" };
    case " ":
      return { kind: "details" };
    case ".":
      return { kind: "mark", step: 1 };
    case ",":
      return { kind: "mark", step: -1 };
    case "+":
    case "=":
      return { kind: "zoom", factor: 0.5 };
    case "-":
      return { kind: "zoom", factor: 2 };
    case "0":
      return { kind: "zoom", factor: undefined };
    case "/":
      return { kind: "search" };
    default:
      return undefined;
  }
}
