"""Runs one attempt at one task of a crew, with the outputs of the tasks before it and what people said."""

import json
from collections.abc import Callable
from typing import Any

from crewai import Agent, Crew, CrewOutput, Task
from crewai.tasks.task_output import TaskOutput
from crewai.utilities.constants import NOT_SPECIFIED

from crewdeck_worker import reviews
from crewdeck_worker.projects import Project
from crewdeck_worker.protocol import AttemptCommand


def attempt(project: Project, command: AttemptCommand) -> dict[str, Any]:
    reviews.refuse_on_console()
    crew = project.crew()
    used_before = usage_of(crew)
    tasks = list(crew.tasks)
    index, refusal, draft = command["task"], command["refusal"], command["draft"]
    target = tasks[index]
    earlier = [with_output(task, raw) for task, raw in zip(tasks, command["earlier"]) if raw is not None]
    inputs = dict(command["inputs"])
    if command["isFirst"]:
        # They may return other inputs, which are those of all later tasks.
        for callback in crew.before_kickoff_callbacks:
            inputs = callback(inputs) or inputs
    crew.before_kickoff_callbacks = []
    if hasattr(target, "should_execute"):
        if earlier and not target.should_execute(earlier[-1].output):
            output = result_of_skipping(crew, target, earlier) if command["isLast"] else ""
            return {"output": output, "isSkipped": True, "inputs": inputs}
        target = unconditional(target)
    context = earlier if target.context is NOT_SPECIFIED else list(target.context or [])
    if refusal:
        # As in crewAI, which then asks the agent with nothing else.
        context = [note_task(refusal["context"], target.agent)]
    target.context = context + [note_task(note, target.agent) for note in command["notes"]]
    target.human_input = command["isReviewed"]
    target.async_execution = False
    # By default the first task of a crew gets what triggered it.
    if index > 0 and target.allow_crewai_trigger_context is None:
        target.allow_crewai_trigger_context = False
    crew.tasks = [target]
    untrace(crew)
    crew.after_kickoff_callbacks = [adding(earlier), *crew.after_kickoff_callbacks] if command["isLast"] else []

    def reply_with(output: str, **members: object) -> dict[str, Any]:
        used = {name: count - used_before[name] for name, count in usage_of(crew).items()}
        return {"output": output, "inputs": inputs, "usage": used, **members}

    if draft:
        result, refusal = reviews.finish(crew, target, inputs, draft, refusal)
        if refusal:
            return reply_with("", refusal=refusal)
    elif command["isReviewed"]:
        draft = reviews.draft_of(crew, target, inputs)
        return reply_with(draft["output"], draft=draft)
    else:
        result = crew.kickoff(inputs=inputs)
    # Hooks after the kickoff may return another result.
    return reply_with((text_of(result) if command["isLast"] else "") or target.output.raw)


def untrace(made: object) -> None:
    """For a crew or a flow. Older versions don't have these options."""
    for option in ("tracing", "stream"):
        if hasattr(made, option):
            setattr(made, option, False)


def with_output(task: Task, raw: str) -> Task:
    """Gives a task the output that it had in an earlier attempt, with its output model where it has one."""
    members: dict[str, Any] = {}
    try:
        if task.output_pydantic:
            members["pydantic"] = task.output_pydantic.model_validate_json(raw)
        elif task.output_json:
            members["json_dict"] = json.loads(raw)
    except ValueError:
        # A person may have edited the output; the text is kept.
        pass
    task.output = TaskOutput(
        name=task.name or task.description,
        description=task.description,
        expected_output=task.expected_output,
        raw=raw,
        agent=task.agent.role if task.agent else "",
        **members,
    )
    return task


def note_task(note: str, agent: Agent | None) -> Task:
    task = Task(description="Feedback of a person", expected_output="Feedback", agent=agent)
    task.output = TaskOutput(description="Feedback of a person", raw=note, agent="Person")
    return task


def unconditional(task: Task) -> Task:
    """The same task without its condition, which is met: crewAI refuses a crew of conditional tasks only."""
    return Task(**{name: getattr(task, name) for name in Task.model_fields.keys() - {"id"}})


def result_of_skipping(crew: Crew, task: Any, earlier: list[Task]) -> str:
    """What the hooks after the kickoff return if the last task is skipped. Without hooks the task has no output."""
    if not crew.after_kickoff_callbacks:
        return ""
    outputs = [each.output for each in earlier]
    # As in crewAI, the last one that isn't empty is the crew's.
    last = next((output for output in reversed(outputs) if output.raw), outputs[-1])
    result = CrewOutput(
        raw=last.raw,
        pydantic=last.pydantic,
        json_dict=last.json_dict,
        tasks_output=[*outputs, task.get_skipped_task_output()],
    )
    for callback in crew.after_kickoff_callbacks:
        result = callback(result)
    return text_of(result)


def adding(earlier: list[Task]) -> Callable[[CrewOutput], CrewOutput]:
    """Gives the hooks after the kickoff the outputs of all tasks, of which this kickoff ran the last."""

    def hook(result: CrewOutput) -> CrewOutput:
        result.tasks_output = [*(task.output for task in earlier), *result.tasks_output]
        return result

    return hook


def text_of(result: object) -> str:
    """Of what a hook returned, which may be anything."""
    raw = getattr(result, "raw", None)
    return str(result) if raw is None else raw


def usage_of(crew: Crew) -> dict[str, int]:
    """Of all its models, which other crews may share."""
    usage = crew.calculate_usage_metrics()
    return {name: getattr(usage, name) for name in ("total_tokens", "prompt_tokens", "completion_tokens")}
