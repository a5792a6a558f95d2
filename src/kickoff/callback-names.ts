import type { CallbackUrls } from "../api/types.ts";

/** The callback addresses of the form, in the order they are shown. */
export const callbackNames = [
  "taskWebhookUrl",
  "stepWebhookUrl",
  "crewWebhookUrl",
  "humanInputWebhookUrl",
] as const satisfies readonly (keyof CallbackUrls)[];

/** Name of a callback address in the request. */
export type CallbackName = (typeof callbackNames)[number];
