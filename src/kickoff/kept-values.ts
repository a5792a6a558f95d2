import { withoutCredentials } from "./address.ts";
import { readJsonView } from "./json-view.ts";
import { initialValues, type FormValues } from "./values.ts";

/** Names that a secret may have, as the end of a member's name or of a header's. */
const name = String.raw`[\w.-]*(?:token|passw(?:or)?d|passphrase|pwd|secret|api[-_]?key|authorization|credentials?|bearer)`;
/** Such a name from its beginning on, quoted or not, as in JSON or within a shell's quotes, and its value, which may have no end yet. */
const secretMember = new RegExp(String.raw`(?<![\w.-])((\\?["']?)${name}\2\s*[:=]\s*)(?:(\\?["'])(?:(?!\3)(?:\\.|[^\\\n]))*(?:\3|$|(?=\n))|[^\s"',{}[\]\\][^"'\n,{}[\]\\]*)`, "gi");
/** What a text without secrets does not hold. A name in JSON may be written with escapes. */
const mayHoldSecrets = /\\u|@|token|passw|passphrase|pwd|secret|api[-_]?key|authorization|credential|bearer/i;

/**
 * What may go to disk and into the page's saved state of what is typed: no secret of a callback that stands in the JSON text, and no
 * name and password of an address.
 */
export function keptValues<Values extends FormValues>(values: Values): Values {
  const { callbacks, streaming, json } = values;
  return {
    ...values,
    callbacks: {
      taskWebhookUrl: withoutCredentials(callbacks.taskWebhookUrl),
      stepWebhookUrl: withoutCredentials(callbacks.stepWebhookUrl),
      crewWebhookUrl: withoutCredentials(callbacks.crewWebhookUrl),
      humanInputWebhookUrl: withoutCredentials(callbacks.humanInputWebhookUrl),
    },
    streaming: { ...streaming, url: withoutCredentials(streaming.url) },
    ...(json === undefined ? {} : { json: keptText(json) }),
  };
}

/** A text of the JSON view without secrets. One that can't be read loses every value whose name says that it may be one. */
export function keptText(text: string): string {
  if (!mayHoldSecrets.test(text)) return text;
  const reading = readJsonView([], initialValues([]), text);
  return "kept" in reading ? reading.kept : withoutCredentials(text.replace(secretMember, '$1""'));
}
