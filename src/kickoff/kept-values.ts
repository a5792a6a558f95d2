import { keptAddress } from "./address.ts";
import { readJsonView, writeJsonView } from "./json-view.ts";
import { mayHoldSecret } from "./secret-words.ts";
import { initialValues, type FormValues } from "./values.ts";

/**
 * What may go to disk and into the page's saved state of what is typed: no secret of a callback that stands in the JSON text, and no
 * name and password of an address.
 */
export function keptValues(values: FormValues): FormValues {
  const { callbacks, streaming, json } = values;
  const kept = {
    ...values,
    callbacks: {
      taskWebhookUrl: keptAddress(callbacks.taskWebhookUrl),
      stepWebhookUrl: keptAddress(callbacks.stepWebhookUrl),
      crewWebhookUrl: keptAddress(callbacks.crewWebhookUrl),
      humanInputWebhookUrl: keptAddress(callbacks.humanInputWebhookUrl),
    },
    streaming: { ...streaming, url: keptAddress(streaming.url) },
  };
  return json === undefined ? kept : { ...kept, json: keptText(json, kept) };
}

/** A JSON text without secrets. Where it can't be read, nobody knows where one ends: then what could be read last takes its place. */
function keptText(text: string, readLast: FormValues): string {
  const reading = readJsonView([], initialValues([]), text);
  if ("kept" in reading) return reading.kept;
  return mayHoldSecret(text) ? writeJsonView(readLast) : text;
}
