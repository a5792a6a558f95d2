import type { CrewInputs } from "../../api/types.ts";
import type { Crew } from "../../crews/types.ts";
import { checkInputs } from "./check-inputs.ts";
import type { RequestFile } from "./request-file.ts";
import type { RequestFault } from "./words.ts";

/** Everything that is wrong with a request file whose crew is looked up among the connected ones; its inputs are checked where it is known what the crew asks for. */
export function checkRequestFile(
  file: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly RequestFault[] {
  const unknown: readonly RequestFault[] =
    file.crew === undefined || crew !== undefined
      ? []
      : [{ kind: "unknownCrew", name: file.crew, at: file.places.crew }];
  return [
    ...file.faults,
    ...unknown,
    ...(inputs === undefined ? [] : checkInputs(file, inputs.fields)),
  ];
}
