import { keptAddress } from "../address.ts";
import { readJsonView, writeJsonView } from "./json-view.ts";
import type { Draft } from "./parse.ts";
import { mayHoldSecret } from "../secret-words.ts";
import { initialValues, type FormValues } from "./values.ts";

/** What may be kept of a draft, and whether its JSON text as it was typed last is missing; see {@link keptValues}. */
export function keptDraft({ id, values, isCut }: Draft): Draft {
  return {
    id,
    values: keptValues(values),
    ...(isCut === true || isNotKept(values.json) ? { isCut: true } : {}),
  };
}

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
  if (isNotKept(text)) return writeJsonView(readLast);
  const reading = readJsonView([], initialValues([]), text);
  return "kept" in reading ? reading.kept : text;
}

function isNotKept(text: string | undefined): boolean {
  return (
    text !== undefined &&
    mayHoldSecret(text) &&
    "fault" in readJsonView([], initialValues([]), text)
  );
}
