/** Names that the manifest and the code share. A test compares them. */
export const viewId = "crewdeck.executions";
/** Scheme of an execution's document. */
export const executionScheme = "crew-execution";
/** Type of the kickoff form's panel. */
export const formType = "crewdeck.kickoff";
/** Id of the comment controller that holds feedback threads. */
export const feedbackController = "crewdeck.feedback";
