const count = 1_000;

/** Local IDs of the kickoffs that both windows try to send. */
export const kickoffIds = Array.from({ length: count }, (_, index) => `kickoff-${index}`);
/** Local IDs of the executions whose pause both windows try to answer. */
export const feedbackIds = Array.from({ length: count }, (_, index) => `feedback-${index}`);
