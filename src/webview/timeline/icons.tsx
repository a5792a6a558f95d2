import type { Span, SpanKind } from "../../views/timeline/messages.ts";

/** Strokes on a grid of 16 by 16. */
const paths: Readonly<Record<SpanKind | Exclude<Span["state"], "waiting"> | "bend", string>> = {
  crew: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM2 12.5c0-2 1.5-3.2 3.5-3.2S9 10.5 9 12.5M10.5 7.2a1.8 1.8 0 1 0-1-3.3M10.8 9.3c1.9 0 3.2 1.2 3.2 3.2",
  queue: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 5v3.2l2.2 1.3",
  task: "M3 3.5h10v9H3ZM5.5 8l1.8 1.8L10.8 6",
  attempt: "M12.5 8a4.5 4.5 0 1 1-1.4-3.3M11.5 2.3v2.7H8.8",
  wait: "M4.2 11V7.4a3.8 3.8 0 0 1 7.6 0V11l1 1.2H3.2ZM6.8 13.8h2.4",
  agent:
    "M8 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM3.5 13.3c0-2.5 1.9-3.9 4.5-3.9s4.5 1.4 4.5 3.9",
  model: "M8 2.5l1.4 4.1L13.5 8l-4.1 1.4L8 13.5 6.6 9.4 2.5 8l4.1-1.4Z",
  tool: "M13 5.3a3 3 0 0 1-4.1 2.9L4.6 12.5a1 1 0 0 1-1.5-1.5l4.5-4.2A3 3 0 0 1 10.9 3L9.4 4.8l.4 1.5 1.5.4Z",
  other: "M8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  running: "M13.5 8A5.5 5.5 0 1 1 8 2.5",
  completed: "M3.5 8.5l3 3 6-7",
  failed: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM6 6l4 4M10 6l-4 4",
  stopped: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM4.3 11.7l7.4-7.4",
  interrupted: "M8 2.5 13.8 13H2.2ZM8 6.5v3M8 11v.3",
  unknown: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM6.4 6.6A1.6 1.6 0 1 1 8 8.4v.8M8 11v.3",
  bend: "M6 4l4 4-4 4",
};

/** Always beside a text that says the same. */
export function Icon({ name, isOpen = false }: { name: keyof typeof paths; isOpen?: boolean }) {
  return (
    <svg
      class={`icon ${name}${isOpen ? " open" : ""}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
