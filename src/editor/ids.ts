/** IDs in both the manifest and the code; a test compares them. */
export const viewId = "crewdeck.executions";
export const executionScheme = "crew-execution";
export const formType = "crewdeck.kickoff";
export const feedbackController = "crewdeck.feedback";
