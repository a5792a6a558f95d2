/** Whether crewAI fills in an input of this name (`interpolate_only`, 1.0 to 1.15). Others, such as `"a": 1`, never reach a model. */
export function isFilled(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

/** The input that crewAI needs where it asks for another: of `{{topic}}`, it asks for `{topic`. */
export function filledIn(name: string): string | undefined {
  return isFilled(name) ? undefined : /\{([A-Za-z_][A-Za-z0-9_-]*)$/.exec(name)?.[1];
}
