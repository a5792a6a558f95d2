/** IDs in both the manifest and the code; a test compares them. */
export const viewId = "crewdeck.executions";
export const executionScheme = "crew-execution";
/** View type of the kickoff form. */
export const formType = "crewdeck.kickoff";
/** ID of the comment controller of feedback threads. */
export const feedbackController = "crewdeck.feedback";
