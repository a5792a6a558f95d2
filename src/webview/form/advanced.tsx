import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import {
  type CallbackName,
  callbackNames,
  type SecretName,
  strategies,
  type Strategy,
  streamingStrategies,
} from "../../kickoff/callbacks.ts";
import { Field, useUniqueId } from "./field.tsx";
import { change, changeSecret, useForm } from "./filling.ts";

const code = { kind: "lines", isCode: true } as const;
const address = { kind: "line", inputmode: "url" } as const;
const line = { kind: "line", inputmode: "text" } as const;

/** What a kickoff has besides inputs, folded unless something is in it. */
export function Advanced() {
  const { view, values } = useForm();
  const { meta, callbacks, streaming, restoreFromStateId, extra } = values;
  const details = useRef<HTMLDetailsElement>(null);
  const realtime = useUniqueId();
  const stream = (now: Partial<typeof streaming>) => ({ streaming: { ...streaming, ...now } });
  useLayoutEffect(() => {
    const texts = [meta, streaming.url, streaming.events, restoreFromStateId, extra];
    const isFilled = [...texts, ...Object.values(callbacks)].some((text) => text !== "");
    if (isFilled && details.current !== null) details.current.open = true;
  }, [view.draft.id]);
  return (
    <details ref={details}>
      <summary>{l10n.t("Advanced")}</summary>
      <Field
        part="meta"
        label={l10n.t("Meta")}
        hint={l10n.t("A JSON object of your own. The crew returns it with every callback.")}
        box={code}
        text={meta}
        onText={(text) => change({ meta: text }, "meta")}
      />
      {callbackNames.map((name) => (
        <Field
          key={name}
          part={name}
          {...textsOf(name)}
          box={address}
          text={callbacks[name]}
          onText={(text) => change({ callbacks: { ...callbacks, [name]: text } }, name)}
        />
      ))}
      <Authentication name="humanInput" />
      <Field
        part="streamingUrl"
        label={l10n.t("Event streaming")}
        hint={l10n.t("URL that receives the execution's events as they happen.")}
        box={address}
        text={streaming.url}
        onText={(url) => change(stream({ url }), "streamingUrl")}
      />
      <div class="nested">
        <Field
          part="events"
          label={l10n.t("Events")}
          hint={l10n.t("Names of events, one per line, such as task_started.")}
          box={code}
          text={streaming.events}
          onText={(events) => change(stream({ events }), "events")}
        />
        <div class="check">
          <input
            type="checkbox"
            id={realtime}
            checked={streaming.realtime}
            disabled={view.isSending}
            onChange={({ currentTarget }) => change(stream({ realtime: currentTarget.checked }))}
          />
          <label for={realtime}>{l10n.t("Send each event at once")}</label>
        </div>
      </div>
      <Authentication name="streaming" />
      <Field
        label={l10n.t("Restore from")}
        hint={l10n.t(
          "ID of an earlier execution of a flow, whose state is restored before the inputs are set.",
        )}
        box={line}
        text={restoreFromStateId}
        onText={(text) => change({ restoreFromStateId: text })}
      />
      <Field
        part="extra"
        label={l10n.t("Extra")}
        hint={l10n.t("A JSON object. Its members are sent as they are, beside “inputs”.")}
        box={code}
        text={extra}
        onText={(text) => change({ extra: text }, "extra")}
      />
    </details>
  );
}

function textsOf(name: CallbackName) {
  switch (name) {
    case "taskWebhookUrl":
      return { label: l10n.t("Task callback"), hint: l10n.t("URL called after each task.") };
    case "stepWebhookUrl":
      return {
        label: l10n.t("Step callback"),
        hint: l10n.t("URL called after each step of an agent."),
      };
    case "crewWebhookUrl":
      return { label: l10n.t("Crew callback"), hint: l10n.t("URL called at the end.") };
    case "humanInputWebhookUrl":
      return {
        label: l10n.t("Human input callback"),
        hint: l10n.t("URL called when a task waits for a person."),
      };
  }
}

/** How the crew authenticates to a callback. The page keeps no secret. */
function Authentication({ name }: { readonly name: SecretName }) {
  const { values, secretOf } = useForm();
  const { humanInput, streaming } = values;
  const { strategy } = values[name];
  const { text, isHeld } = secretOf(name);
  const callback =
    name === "humanInput" ? l10n.t("the human input callback") : l10n.t("event streaming");
  const choose = (chosen: string) =>
    name === "humanInput"
      ? change({ humanInput: { ...humanInput, strategy: among(strategies, chosen) } })
      : change({ streaming: { ...streaming, strategy: among(streamingStrategies, chosen) } });
  const choices = (name === "humanInput" ? strategies : streamingStrategies).map((value) => ({
    value,
    label: strategyText(value),
  }));
  return (
    <div class="nested">
      <Field
        label={l10n.t("Authentication of {0}", callback)}
        box={{ kind: "choice", choices }}
        text={strategy}
        onText={choose}
      />
      {strategy === "basic" && (
        <Field
          part="username"
          label={l10n.t("User name for {0}", callback)}
          box={line}
          text={humanInput.username}
          onText={(username) => change({ humanInput: { ...humanInput, username } }, "username")}
        />
      )}
      {strategy !== "none" && (
        <Field
          part={name}
          label={
            strategy === "basic"
              ? l10n.t("Password for {0}", callback)
              : l10n.t("Token for {0}", callback)
          }
          hint={l10n.t(
            "Stored in this machine's secret storage with the kickoff and sent again with each resume. Not saved with the draft.",
          )}
          box={{
            kind: "secret",
            placeholder: isHeld ? l10n.t("Entered; type to replace it") : "",
          }}
          text={text}
          onText={(typed) => changeSecret(name, typed)}
        />
      )}
    </div>
  );
}

function strategyText(strategy: Strategy): string {
  if (strategy === "none") return l10n.t("None");
  return strategy === "bearer" ? l10n.t("Bearer token") : l10n.t("User name and password");
}

function among<Kind extends Strategy>(known: readonly Kind[], chosen: string): Kind | "none" {
  return known.find((one) => one === chosen) ?? "none";
}
