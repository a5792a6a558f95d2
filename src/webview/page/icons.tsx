import type { PageModel, PageTask } from "../../views/page/messages.ts";

const shapes = {
  clock: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M8 4.5V8l2.5 1.5",
  running: "M14.5 8A6.5 6.5 0 1 1 8 1.5",
  bell: "M3 12h10l-1.2-2V7a3.8 3.8 0 0 0-7.6 0v3zM6.5 14h3",
  pass: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M5 8.2l2.2 2.2L11 6",
  error: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6",
  stopped: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M3.5 12.5l9-9",
  warning: "M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.3v.5",
  info: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M8 7.3v4M8 4.8v.2",
  question: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M6 6.3A2 2 0 1 1 8 8.4v.8M8 11v.5",
  circle: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11",
  check: "M3 8.5l3.2 3.2L13 5",
  close: "M4 4l8 8M12 4l-8 8",
  tool: "M10 2.5a3.5 3.5 0 0 0-3.3 4.7L2.5 11.4l2.1 2.1 4.2-4.2A3.5 3.5 0 0 0 13.3 5L11.2 7.1 8.9 4.8 11 2.7a3.5 3.5 0 0 0-1-.2",
  thought: "M8 2a4 4 0 0 0-2.2 7.3V11h4.4V9.3A4 4 0 0 0 8 2M6.3 13.5h3.4",
} as const;

type IconName = keyof typeof shapes;

/** Decoration: the text beside it says the same. */
export function Icon({ name, color }: { readonly name: IconName; readonly color?: string }) {
  return (
    <svg
      class={`icon ${color ?? ""} ${name === "running" ? "spin" : ""}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

export function StateIcon({ state }: { readonly state: PageModel["state"] | PageTask["state"] }) {
  const icons = {
    queued: <Icon name="clock" />,
    pending: <Icon name="circle" color="faint" />,
    running: <Icon name="running" color="blue" />,
    waiting: <Icon name="bell" color="yellow" />,
    completed: <Icon name="pass" color="green" />,
    failed: <Icon name="error" color="red" />,
    stopped: <Icon name="stopped" />,
    unknown: <Icon name="question" />,
    unconfirmed: <Icon name="warning" color="yellow" />,
    interrupted: <Icon name="warning" color="yellow" />,
  };
  return icons[state];
}
