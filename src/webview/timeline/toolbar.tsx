import type { ComponentChildren, RefObject } from "preact";
import { fill } from "../../kickoff/form/messages.ts";
import type { Look, TimelineTexts } from "../../views/timeline/messages.ts";
import { Icon } from "./icons.tsx";

const filterKinds = ["task", "wait", "agent", "model", "tool"] as const;

interface ToolbarProps {
  readonly look: Look;
  readonly texts: TimelineTexts;
  readonly search: RefObject<HTMLInputElement | null>;
  /** Matching rows and all, if there is a filter. */
  readonly hits: readonly [hits: number, all: number] | undefined;
  /** Whether there are waits to shorten. */
  readonly hasWaits: boolean;
  readonly onLook: (change: Partial<Look>) => void;
  /** Above 1: out; `undefined`: everything. */
  readonly onZoom: (factor: number | undefined) => void;
  readonly onLeave: () => void;
}

export function Toolbar(props: ToolbarProps) {
  const { look, texts, search, hits, hasWaits, onLook, onZoom, onLeave } = props;
  const { kinds } = look;
  return (
    <div class="toolbar">
      <input
        ref={search}
        type="search"
        value={look.text}
        placeholder={texts.filter}
        aria-label={texts.filterLabel}
        spellcheck={false}
        onInput={({ currentTarget }) => onLook({ text: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape" && event.key !== "ArrowDown") return;
          event.preventDefault();
          if (event.key === "Escape" && look.text !== "") onLook({ text: "" });
          else onLeave();
        }}
      />
      <div class="group" role="group" aria-label={texts.filterKinds}>
        {filterKinds.map((kind) => (
          <Button
            key={kind}
            label={texts.filters[kind]}
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
        {hits && fill(texts.hits, ...hits)}
      </span>
      <div class="group" role="group" aria-label={texts.zoomGroup}>
        {hasWaits && (
          <Button
            label={texts.shortenLabel}
            isPressed={!look.isWhole}
            onClick={() => onLook({ isWhole: !look.isWhole })}
          >
            {texts.shorten}
          </Button>
        )}
        <Button label={texts.zoomOut} onClick={() => onZoom(2)}>
          −
        </Button>
        <Button label={texts.zoomIn} onClick={() => onZoom(0.5)}>
          +
        </Button>
        <Button label={texts.fitLabel} onClick={() => onZoom(undefined)}>
          {texts.fit}
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
