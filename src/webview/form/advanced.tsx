import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type SecretName, targetOf } from "../../kickoff/callbacks.ts";
import { type TextName, textNames } from "../../kickoff/form/values.ts";
import { type BoxKind, Field } from "./field.tsx";
import { change, changeSecret, useForm } from "./filling.ts";

const code = { kind: "lines", isCode: true } as const;
const address = { kind: "line", inputmode: "url" } as const;
const line = { kind: "line", inputmode: "text" } as const;

export function Advanced() {
  const { form, values } = useForm();
  const details = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    const isFilled = textNames.some((name) => values[name] !== "");
    if (isFilled && details.current !== null) details.current.open = true;
  }, [form.draft.id]);
  const human = l10n.t("the human input callback");
  const streaming = l10n.t("event streaming");
  const none = ["", l10n.t("None")] as const;
  const bearer = ["bearer", l10n.t("Bearer token")] as const;
  const basic = ["basic", l10n.t("User name and password")] as const;
  const isBasic = values.strategy === "basic";
  const text = (name: TextName, label: string, box: BoxKind, hint?: string, isNested = false) => (
    <Field
      key={name}
      part={name}
      {...{ label, box, hint, isNested }}
      text={values[name]}
      onText={(text) => change({ ...values, [name]: text })}
    />
  );
  const nested = (name: TextName, label: string, box: BoxKind, hint?: string) =>
    text(name, label, box, hint, true);
  const choice = (name: TextName, label: string, ...choices: (readonly [string, string])[]) =>
    nested(name, label, { kind: "choice", choices });
  const secret = (name: SecretName, label: string) => (
    <Field
      key={name}
      part={name}
      label={label}
      isNested
      hint={l10n.t(
        "Stored in this machine's secret storage with the kickoff and sent again with each resume. Not saved with the draft.",
      )}
      box={{ kind: "secret", target: `${form.draft.id} ${targetOf(name, values)}` }}
      placeholder={form.secrets.includes(name) ? l10n.t("Entered; type to replace it") : ""}
      text=""
      onText={(text) => changeSecret(name, text)}
    />
  );
  const about = {
    meta: l10n.t("A JSON object of your own. The crew returns it with every callback."),
    task: l10n.t("URL called after each task."),
    step: l10n.t("URL called after each step of an agent."),
    crew: l10n.t("URL called at the end."),
    human: l10n.t("URL called when a task waits for a person."),
    streaming: l10n.t("URL that receives the execution's events as they happen."),
    events: l10n.t("Names of events, one per line, such as task_started."),
    restore: l10n.t(
      "ID of an earlier execution of a flow, whose state is restored before the inputs are set.",
    ),
    extra: l10n.t("A JSON object. Its members are sent as they are, beside “inputs”."),
  };
  return (
    <details ref={details}>
      <summary>{l10n.t("Advanced")}</summary>
      {text("meta", l10n.t("Meta"), code, about.meta)}
      {text("taskWebhookUrl", l10n.t("Task callback"), address, about.task)}
      {text("stepWebhookUrl", l10n.t("Step callback"), address, about.step)}
      {text("crewWebhookUrl", l10n.t("Crew callback"), address, about.crew)}
      {text("humanInputWebhookUrl", l10n.t("Human input callback"), address, about.human)}
      {choice("strategy", l10n.t("Authentication of {0}", human), none, bearer, basic)}
      {isBasic && nested("username", l10n.t("User name for {0}", human), line)}
      {values.strategy !== "" &&
        secret(
          "humanInput",
          isBasic ? l10n.t("Password for {0}", human) : l10n.t("Token for {0}", human),
        )}
      {text("streamingUrl", l10n.t("Event streaming"), address, about.streaming)}
      {nested("events", l10n.t("Events"), code, about.events)}
      {choice(
        "realtime",
        l10n.t("Sending of events"),
        ["", l10n.t("Several at a time")],
        ["true", l10n.t("Each at once")],
      )}
      {choice("streamingStrategy", l10n.t("Authentication of {0}", streaming), none, bearer)}
      {values.streamingStrategy !== "" && secret("streaming", l10n.t("Token for {0}", streaming))}
      {text("restoreFromStateId", l10n.t("Restore from"), line, about.restore)}
      {text("extra", l10n.t("Extra"), code, about.extra)}
    </details>
  );
}
