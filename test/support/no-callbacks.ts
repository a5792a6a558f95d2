/** A setting that is invalid: no callback addresses are sent, and only polling tells what happens. */
export const noCallbacks = { "crewdeck.callbacks.publicUrl": "none" };
