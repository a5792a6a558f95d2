/** IDs that must match the manifest (tested). */
export const viewId = "crewdeck.executions";
export const executionScheme = "crew-execution";
export const formType = "crewdeck.kickoff";
export const feedbackController = "crewdeck.feedback";
