import "../l10n.ts";
import * as l10n from "@vscode/l10n";
import { render } from "preact";
import {
  type FromTimeline,
  type Look,
  lookAt,
  type ToTimeline,
} from "../../views/timeline/messages.ts";
import { clock } from "./clock.ts";
import { KnownSpans, type WholeView } from "./known-spans.ts";
import { Timeline } from "./timeline.tsx";

declare function acquireVsCodeApi(): {
  postMessage(message: FromTimeline): void;
  getState(): Look | undefined;
  setState(state: Look): void;
};

/** How long to collect changes of the look (ms). */
const pause = 200;

const api = acquireVsCodeApi();
const place = document.querySelector("main") ?? document.body;
const known = new KnownSpans();
let saving: ReturnType<typeof setTimeout> | undefined;

function keep(look: Look): void {
  api.setState(look);
  clearTimeout(saving);
  saving = setTimeout(() => api.postMessage({ type: "look", look }), pause);
}

function show(view: WholeView): void {
  const { localId } = view;
  const look = lookAt(localId, api.getState());
  render(
    <Timeline
      key={localId}
      {...{ view, look }}
      onLook={keep}
      onReveal={({ id: spanId }, takesFocus) =>
        api.postMessage({ type: "reveal", localId, spanId, takesFocus })
      }
      onDefine={
        view.isLocal
          ? ({ id: spanId }) => api.postMessage({ type: "define", localId, spanId })
          : undefined
      }
    />,
    place,
  );
}

function showEmpty(text: string): void {
  render(
    <div class="empty">
      <p>{text}</p>
      <button type="button" onClick={() => api.postMessage({ type: "list" })}>
        {l10n.t("Show Executions")}
      </button>
    </div>,
    place,
  );
}

window.addEventListener("message", ({ data }: MessageEvent<ToTimeline>) => {
  if (data.type === "empty") showEmpty(data.text);
  else {
    clock.set(data.view.now);
    show(known.whole(data.view));
  }
});

const look = api.getState();
api.postMessage({ type: "ready", ...(look === undefined ? {} : { look }) });
