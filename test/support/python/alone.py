"""Runs a crew or flow by crewAI alone, as `crewai run` or the project's own main.py does, and prints a line of JSON.

alone.py <file of a declaration, or module:name> <JSON of inputs>
"""

import importlib
import json
import os
import sys

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
what, inputs = sys.argv[1], json.loads(sys.argv[2])
folder = os.getcwd()
sys.path[:0] = [os.path.join(folder, "src"), folder]

from crewai import Crew, Flow  # noqa: E402
from crewai.events import crewai_event_bus  # noqa: E402
from crewai.project.crew_loader import load_crew  # noqa: E402
from crewai.utilities.string_utils import _VARIABLE_PATTERN as filled  # noqa: E402


def load():
    if what.endswith(".jsonc"):
        return load_crew(what)[0]
    if what.endswith(".yaml"):
        return Flow.from_declaration(path=what)
    module, name = what.split(":")
    value = getattr(importlib.import_module(module), name)
    if isinstance(value, Crew):
        return value
    made = value()
    return made if isinstance(made, (Crew, Flow)) else made.crew()


def asked(made):
    if isinstance(made, Flow):
        return {name for name in (made.state if isinstance(made.state, dict) else type(made.state).model_fields) if name != "id"}
    texts = [text for task in made.tasks for text in (task.description, task.expected_output, task.output_file or "")]
    texts += [text for agent in made.agents for text in (agent.role, agent.goal, agent.backstory)]
    return made.fetch_inputs().union(*(filled.findall(text) for text in texts))


made = load()
names = sorted(asked(made))
result = made.kickoff(inputs=inputs)
tasks = [each.raw for each in getattr(result, "tasks_output", [])]
# Otherwise crewAI may still print what it did, on a thread of its own.
crewai_event_bus.flush()
print("\n" + json.dumps({"inputs": names, "output": str(result), "tasks": tasks}))
