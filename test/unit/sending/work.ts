const count = 500;

/** Local ids of the kickoffs that both windows try to send. */
export const kickoffIds = Array.from({ length: count }, (_, index) => `kickoff-${index}`);
/** Local ids of the executions whose pause both windows try to answer. */
export const feedbackIds = Array.from({ length: count }, (_, index) => `feedback-${index}`);
