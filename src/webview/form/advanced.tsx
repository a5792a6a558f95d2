import * as l10n from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import { callbackTexts, type SecretName } from "../../kickoff/callbacks.ts";
import { type FormValues, targetOf } from "../../kickoff/form/values.ts";
import { type BoxKind, Field, useUniqueId } from "./field.tsx";
import { change, changeSecret, useForm } from "./filling.ts";

const code = { kind: "lines", isCode: true } as const;
const address = { kind: "line", inputmode: "url" } as const;
const line = { kind: "line", inputmode: "text" } as const;

/** What a kickoff has besides inputs, folded unless something is in it. */
export function Advanced() {
  const { form, values } = useForm();
  const details = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    const names = ["meta", ...callbackTexts, "restoreFromStateId", "extra"] as const;
    const isFilled = names.some((name) => values[name] !== "");
    if (isFilled && details.current !== null) details.current.open = true;
  }, [form.draft.id]);
  const human = l10n.t("the human input callback");
  const streaming = l10n.t("event streaming");
  const isBasic = values.strategy === "basic";
  return (
    <details ref={details}>
      <summary>{l10n.t("Advanced")}</summary>
      <Text
        name="meta"
        label={l10n.t("Meta")}
        hint={l10n.t("A JSON object of your own. The crew returns it with every callback.")}
        box={code}
      />
      <Text
        name="taskWebhookUrl"
        label={l10n.t("Task callback")}
        hint={l10n.t("URL called after each task.")}
        box={address}
      />
      <Text
        name="stepWebhookUrl"
        label={l10n.t("Step callback")}
        hint={l10n.t("URL called after each step of an agent.")}
        box={address}
      />
      <Text
        name="crewWebhookUrl"
        label={l10n.t("Crew callback")}
        hint={l10n.t("URL called at the end.")}
        box={address}
      />
      <Text
        name="humanInputWebhookUrl"
        label={l10n.t("Human input callback")}
        hint={l10n.t("URL called when a task waits for a person.")}
        box={address}
      />
      <Strategy name="strategy" callback={human} />
      {isBasic && (
        <Text isNested name="username" label={l10n.t("User name for {0}", human)} box={line} />
      )}
      {values.strategy !== "" && (
        <Secret
          name="humanInput"
          label={isBasic ? l10n.t("Password for {0}", human) : l10n.t("Token for {0}", human)}
        />
      )}
      <Text
        name="streamingUrl"
        label={l10n.t("Event streaming")}
        hint={l10n.t("URL that receives the execution's events as they happen.")}
        box={address}
      />
      <Text
        isNested
        name="events"
        label={l10n.t("Events")}
        hint={l10n.t("Names of events, one per line, such as task_started.")}
        box={code}
      />
      <Realtime />
      <Strategy name="streamingStrategy" callback={streaming} />
      {values.streamingStrategy !== "" && (
        <Secret name="streaming" label={l10n.t("Token for {0}", streaming)} />
      )}
      <Text
        name="restoreFromStateId"
        label={l10n.t("Restore from")}
        hint={l10n.t(
          "ID of an earlier execution of a flow, whose state is restored before the inputs are set.",
        )}
        box={line}
      />
      <Text
        name="extra"
        label={l10n.t("Extra")}
        hint={l10n.t("A JSON object. Its members are sent as they are, beside “inputs”.")}
        box={code}
      />
    </details>
  );
}

interface TextProps {
  readonly name: Exclude<keyof FormValues, "inputs" | "from">;
  readonly label: string;
  readonly hint?: string;
  readonly box: BoxKind;
  readonly isNested?: boolean;
}

function Text({ name, ...field }: TextProps) {
  const { values } = useForm();
  const onText = (text: string) => change({ ...values, [name]: text }, name);
  return <Field {...field} part={name} text={values[name]} onText={onText} />;
}

function Realtime() {
  const { form, values } = useForm();
  const id = useUniqueId();
  const set = (isChecked: boolean) => change({ ...values, realtime: isChecked ? "true" : "" });
  return (
    <div class="check nested">
      <input
        type="checkbox"
        id={id}
        checked={values.realtime !== ""}
        disabled={form.isSending}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      <label for={id}>{l10n.t("Send each event at once")}</label>
    </div>
  );
}

interface StrategyProps {
  readonly name: "strategy" | "streamingStrategy";
  readonly callback: string;
}

/** How the crew authenticates to a callback. */
function Strategy({ name, callback }: StrategyProps) {
  const choices = [
    { value: "", label: l10n.t("None") },
    { value: "bearer", label: l10n.t("Bearer token") },
    ...(name === "strategy" ? [{ value: "basic", label: l10n.t("User name and password") }] : []),
  ];
  const label = l10n.t("Authentication of {0}", callback);
  return <Text isNested name={name} label={label} box={{ kind: "choice", choices }} />;
}

function Secret({ name, label }: { readonly name: SecretName; readonly label: string }) {
  const { form, values } = useForm();
  const isHeld = form.secrets[name] === true;
  return (
    <Field
      isNested
      part={name}
      label={label}
      hint={l10n.t(
        "Stored in this machine's secret storage with the kickoff and sent again with each resume. Not saved with the draft.",
      )}
      box={{
        kind: "secret",
        target: `${form.draft.id} ${targetOf(name, values)}`,
        placeholder: isHeld ? l10n.t("Entered; type to replace it") : "",
      }}
      text=""
      onText={(text) => changeSecret(name, text)}
    />
  );
}
