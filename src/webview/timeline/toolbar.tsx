import * as l10n from "@vscode/l10n";
import type { RefObject } from "preact";
import type { Look } from "../../views/timeline/messages.ts";
import { Icon } from "../controls.tsx";

interface ToolbarProps {
  readonly look: Look;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly hits: readonly [hits: number, all: number] | undefined;
  readonly onLook: (change: Partial<Look>) => void;
  /** Above 1: out; `undefined`: everything. */
  readonly onZoom: (factor: number | undefined) => void;
  readonly onLeave: () => void;
}

export function Toolbar({ look, search, hits, onLook, onZoom, onLeave }: ToolbarProps) {
  const { kinds } = look;
  const filters = [
    ["task", l10n.t("Show Tasks Only")],
    ["wait", l10n.t("Show Waits Only")],
    ["agent", l10n.t("Show Agents Only")],
    ["model", l10n.t("Show Model Calls Only")],
    ["tool", l10n.t("Show Tool Calls Only")],
  ] as const;
  const zooms = [
    ["−", l10n.t("Zoom Out"), 2],
    ["+", l10n.t("Zoom In"), 0.5],
    [l10n.t("Fit"), undefined, undefined],
  ] as const;
  return (
    <div class="toolbar">
      <input
        ref={search}
        type="search"
        value={look.text}
        placeholder={l10n.t("Filter")}
        aria-label={l10n.t("Filter rows by text")}
        spellcheck={false}
        onInput={({ currentTarget }) => onLook({ text: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape" && event.key !== "ArrowDown") return;
          event.preventDefault();
          if (event.key === "Escape" && look.text !== "") onLook({ text: "" });
          else onLeave();
        }}
      />
      <div class="group" role="group" aria-label={l10n.t("Filter rows by kind")}>
        {filters.map(([kind, label]) => (
          <button
            key={kind}
            type="button"
            class={kind}
            title={label}
            aria-label={label}
            aria-pressed={kinds.includes(kind)}
            onClick={() => {
              const others = kinds.filter((each) => each !== kind);
              onLook({ kinds: kinds.includes(kind) ? others : [...kinds, kind] });
            }}
          >
            <Icon name={kind} />
          </button>
        ))}
      </div>
      <span class="unseen" role="status">
        {hits && l10n.t("{0} of {1} rows match the filter.", ...hits)}
      </span>
      <div class="group" role="group" aria-label={l10n.t("Zoom")}>
        {zooms.map(([text, label, factor]) => (
          <button
            key={text}
            type="button"
            title={label}
            aria-label={label}
            onClick={() => onZoom(factor)}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
