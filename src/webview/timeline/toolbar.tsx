import * as l10n from "@vscode/l10n";
import type { ComponentChildren, RefObject } from "preact";
import { shortCount, timeText } from "../../views/timeline/labels.ts";
import type { Look, TimelineView } from "../../views/timeline/messages.ts";
import { useNow } from "../clock.tsx";
import { Icon } from "../controls.tsx";

const filterKinds = ["task", "wait", "agent", "model", "tool"] as const;

function filterLabels(): Readonly<Record<(typeof filterKinds)[number], string>> {
  return {
    task: l10n.t("Show Tasks Only"),
    wait: l10n.t("Show Waits Only"),
    agent: l10n.t("Show Agents Only"),
    model: l10n.t("Show Model Calls Only"),
    tool: l10n.t("Show Tool Calls Only"),
  };
}

interface ToolbarProps {
  readonly look: Look;
  readonly search: RefObject<HTMLInputElement | null>;
  /** Matching rows and all, if there is a filter. */
  readonly hits: readonly [hits: number, all: number] | undefined;
  readonly hasWaits: boolean;
  readonly onLook: (change: Partial<Look>) => void;
  /** Above 1: out; `undefined`: everything. */
  readonly onZoom: (factor: number | undefined) => void;
  readonly onLeave: () => void;
}

export function Toolbar({ look, search, hits, hasWaits, onLook, onZoom, onLeave }: ToolbarProps) {
  const { kinds } = look;
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
        {filterKinds.map((kind) => (
          <Button
            key={kind}
            label={filterLabels()[kind]}
            kind={kind}
            isPressed={kinds.includes(kind)}
            onClick={() =>
              onLook({
                kinds: kinds.includes(kind)
                  ? kinds.filter((each) => each !== kind)
                  : [...kinds, kind],
              })
            }
          >
            <Icon name={kind} />
          </Button>
        ))}
      </div>
      <span class="unseen" role="status">
        {hits && l10n.t("{0} of {1} rows match the filter.", ...hits)}
      </span>
      <div class="group" role="group" aria-label={l10n.t("Zoom")}>
        {hasWaits && (
          <Button
            label={l10n.t("Draw long waits for a person shorter than they are")}
            isPressed={!look.isWhole}
            onClick={() => onLook({ isWhole: !look.isWhole })}
          >
            {l10n.t("Shorten Waits")}
          </Button>
        )}
        <Button label={l10n.t("Zoom Out")} onClick={() => onZoom(2)}>
          −
        </Button>
        <Button label={l10n.t("Zoom In")} onClick={() => onZoom(0.5)}>
          +
        </Button>
        <Button label={l10n.t("Show the whole execution")} onClick={() => onZoom(undefined)}>
          {l10n.t("Fit")}
        </Button>
      </div>
    </div>
  );
}

function Button(props: {
  label: string;
  kind?: string;
  isPressed?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}) {
  const { label, kind = "", isPressed, onClick, children } = props;
  // Its text is its name; the label says more.
  const isText = typeof children === "string" && children.length > 1;
  return (
    <button
      type="button"
      class={kind}
      title={label}
      aria-label={isText ? undefined : label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

export function Header({ view, isRunning }: { view: TimelineView; isRunning: boolean }) {
  const now = useNow(isRunning);
  const [crew] = view.spans;
  return (
    <header>
      <h1 title={view.title}>{view.title}</h1>
      <span class="crew-name">{view.crew}</span>
      <span class={`state ${view.state}`} role="status">
        {view.stateLabel}
      </span>
      <span class="total">{crew ? timeText(crew, now) : ""}</span>
      {crew?.tokens !== undefined && (
        <span class="total">{l10n.t("{0} tokens", shortCount(crew.tokens.total))}</span>
      )}
      {crew?.cost !== undefined && <span class="total">{crew.cost.text}</span>}
    </header>
  );
}
