import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { host } from "../host.ts";

interface FoldProps {
  /** Remembers what a person opened and closed. */
  readonly id: string;
  /** Counts when it is first shown: what is read must not fold by itself. */
  readonly isOpen: boolean;
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Its content is drawn only while it is open. */
export function Fold({ id, isOpen, label, children }: FoldProps) {
  const [first] = useState(isOpen);
  const [, redraw] = useState(0);
  const open = host.kept.folds[id] ?? first;
  const toggled = (now: boolean) => {
    if (now === open) return;
    host.keep({ folds: { ...host.kept.folds, [id]: now } });
    redraw((times) => times + 1);
  };
  return (
    <details
      class="fold"
      data-fold={id}
      open={open}
      onToggle={({ currentTarget }) => toggled(currentTarget.open)}
    >
      <summary>{label}</summary>
      {open && children}
    </details>
  );
}
