import type { ComponentChild, RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { host, type Sent } from "./host.ts";

/** Strokes on a grid of 16 by 16. */
const ring = "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13";
const clock = `${ring}M8 4.5V8l2.5 1.5`;
const bell = "M3 12h10l-1.2-2V7a3.8 3.8 0 0 0-7.6 0v3zM6.5 14h3";
const cross = `${ring}M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6`;
const triangle = "M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.3v.5";
const check = "M3 8.5l3.2 3.2L13 5";

const shapes = {
  queued: clock,
  pending: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11",
  running: "M14.5 8A6.5 6.5 0 1 1 8 1.5",
  waiting: bell,
  completed: `${ring}M5 8.2l2.2 2.2L11 6`,
  failed: cross,
  stopped: `${ring}M3.5 12.5l9-9`,
  unknown: `${ring}M6 6.3A2 2 0 1 1 8 8.4v.8M8 11v.5`,
  unconfirmed: triangle,
  interrupted: triangle,
  info: `${ring}M8 7.3v4M8 4.8v.2`,
  warning: triangle,
  error: cross,
  approved: check,
  answered: check,
  rejected: "M4 4l8 8M12 4l-8 8",
  thought: "M8 2a4 4 0 0 0-2.2 7.3V11h4.4V9.3A4 4 0 0 0 8 2M6.3 13.5h3.4",
  crew: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM2 12.5c0-2 1.5-3.2 3.5-3.2S9 10.5 9 12.5M10.5 7.2a1.8 1.8 0 1 0-1-3.3M10.8 9.3c1.9 0 3.2 1.2 3.2 3.2",
  queue: clock,
  task: "M3 3.5h10v9H3ZM5.5 8l1.8 1.8L10.8 6",
  attempt: "M12.5 8a4.5 4.5 0 1 1-1.4-3.3M11.5 2.3v2.7H8.8",
  wait: bell,
  agent:
    "M8 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM3.5 13.3c0-2.5 1.9-3.9 4.5-3.9s4.5 1.4 4.5 3.9",
  model: "M8 2.5l1.4 4.1L13.5 8l-4.1 1.4L8 13.5 6.6 9.4 2.5 8l4.1-1.4Z",
  tool: "M10 2.5a3.5 3.5 0 0 0-3.3 4.7L2.5 11.4l2.1 2.1 4.2-4.2A3.5 3.5 0 0 0 13.3 5L11.2 7.1 8.9 4.8 11 2.7a3.5 3.5 0 0 0-1-.2",
  other: "M8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  bend: "M6 4l4 4-4 4",
} as const;

/** Decoration: the text beside it says the same. Its colour is that of its name. `isOpen` is of a row's twistie. */
export function Icon({ name, isOpen = false }: { name: keyof typeof shapes; isOpen?: boolean }) {
  return (
    <svg
      class={`icon ${name}${isOpen ? " open" : ""}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

interface ButtonProps {
  readonly label: string;
  /** For screen readers and as a tooltip, if the label says too little. */
  readonly name?: string | undefined;
  readonly kind?: "primary" | "secondary" | "link" | "submit";
  /** Not `disabled`, which would lose focus. */
  readonly isOff?: boolean;
  readonly onClick: () => void;
}

export function Button({ label, name, kind = "secondary", isOff, onClick }: ButtonProps) {
  const named = { "aria-label": name, title: name };
  return (
    <button type="button" class={kind} aria-disabled={isOff} {...named} onClick={onClick}>
      {label}
    </button>
  );
}

export function LinkButton(props: Pick<ButtonProps, "label" | "name"> & { message: Sent }) {
  const { label, name, message } = props;
  return <Button kind="link" label={label} name={name} onClick={() => host.post(message)} />;
}

interface FactsProps {
  readonly rows: readonly (readonly [name: string, value: ComponentChild])[];
}

export function Facts({ rows }: FactsProps) {
  return (
    <dl>
      {rows.map(([name, value], at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Reads the element's size, whenever it changes. */
export function useResize(
  place: RefObject<HTMLElement | null>,
  read: (element: HTMLElement) => void,
): void {
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => read(current));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
}
