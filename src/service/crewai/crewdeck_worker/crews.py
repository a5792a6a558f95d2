"""Describes a crew for the service: its tasks, agents and inputs."""

import hashlib
import json
import re
from typing import Any

from crewai import Crew, Task
from crewai.utilities.constants import NOT_SPECIFIED

# What crewAI fills in (`_VARIABLE_PATTERN` in `crewai.utilities.string_utils`, 1.0 to 1.15). It fails without a value.
filled = re.compile(r"\{([A-Za-z_][A-Za-z0-9_\-]*)}")


def describe(crew: Crew) -> dict[str, Any]:
    """As the service's `CrewProject` has it."""
    tasks = list(crew.tasks)
    names = names_of(tasks)
    agents = list(crew.agents)
    for task in tasks:
        if task.agent is not None and not any(task.agent is agent for agent in agents):
            agents.append(task.agent)
    name_of = {id(agent): f"agent_{number}" for number, agent in enumerate(agents, 1)}

    def context(task: Task) -> list[str]:
        return [names[index] for index, each in enumerate(tasks) for wanted in task.context or [] if wanted is each]

    return {
        "agents": [
            {"name": name_of[id(agent)], "role": agent.role, "goal": agent.goal, "backstory": agent.backstory} for agent in agents
        ],
        "tasks": [
            {
                "id": name,
                "description": task.description,
                "expectedOutput": task.expected_output,
                "humanInput": bool(task.human_input),
                "extras": extras_of(task),
                **({} if task.agent is None else {"agent": name_of[id(task.agent)]}),
                **({} if task.context is NOT_SPECIFIED else {"context": context(task)}),
            }
            for name, task in zip(names, tasks)
        ],
    }


def names_of(tasks: list[Task]) -> list[str]:
    """A name for each task that no other task has: crewAI runs tasks with the same name."""
    given = [task.name or f"task_{index + 1}" for index, task in enumerate(tasks)]
    names: list[str] = []
    for name in given:
        unique, number = name, 1
        while unique in names or (number > 1 and unique in given):
            number += 1
            unique = f"{name}_{number}"
        names.append(unique)
    return names


def extras_of(task: Task) -> str:
    """A hash of what else decides a task's output: its tools and output models."""
    tools = [*(task.tools or []), *(getattr(task.agent, "tools", None) or [])]
    models = [getattr(task, name, None) for name in ("output_pydantic", "output_json", "response_model")]
    parts = [
        [[tool.name, tool.description, shape_of(getattr(tool, "args_schema", None))] for tool in tools],
        [shape_of(model) for model in models],
    ]
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "replace")).hexdigest()


def shape_of(model: Any) -> object:
    try:
        return model.model_json_schema()
    except Exception:  # There is no model, or one that JSON can't describe.
        return getattr(model, "__name__", None)


def inputs_of(crew: Crew) -> list[str]:
    """What a deployed crew asks for, and what crewAI fails without, in the order of the texts."""
    agents = [text for agent in crew.agents for text in (agent.role, agent.goal, agent.backstory)]
    tasks = [text for task in crew.tasks for text in (task.description, task.expected_output, task.output_file)]
    texts = "\n".join(text or "" for text in agents + tasks)
    names = crew.fetch_inputs() | set(filled.findall(texts))
    return sorted(names, key=lambda name: (texts.find(f"{{{name}}}"), name))


def remarks_on(crew: Crew) -> list[str]:
    """What differs from a deployed crew, which runs all tasks in one kickoff."""
    remarks = []
    if getattr(crew, "planning", False):
        remarks.append("Planning is done for each task by itself.")
    parallel = [name for name, task in zip(names_of(crew.tasks), crew.tasks) if task.async_execution]
    if parallel:
        remarks.append(f"Asynchronous tasks run one after the other: {', '.join(parallel)}.")
    return remarks
