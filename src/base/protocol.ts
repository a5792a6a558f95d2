export interface Message {
  readonly type: string;
}

export type MessageOf<Any extends Message, Type> = Any extends { readonly type: infer Own }
  ? Type extends Own
    ? Any
    : never
  : never;

/** A function for each type of message: without one of them it doesn't compile. */
export type Handlers<Any extends Message> = {
  readonly [Type in Any["type"]]: (message: MessageOf<Any, Type>) => unknown;
};

export function handle<Any extends Message>(handlers: Handlers<Any>, message: Any): unknown {
  const type: Any["type"] = message.type;
  // The type names the handler of exactly this message, which TypeScript can't follow.
  const handler = handlers[type] as (message: Any) => unknown;
  return handler(message);
}
