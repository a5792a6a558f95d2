"""Runs one attempt at one task of a crew, with the outputs of the tasks before it and what people said.

A task that a person reviews runs in two parts: the draft, and once it is approved, what crewAI does after its own question. It asks
between the last answer of the task's agent and all that follows: the agent's memory, guardrails, conversion to an output model,
callbacks and the output file.
"""

import contextvars
import json
from collections.abc import Callable
from typing import Any, NoReturn

from crewai import Agent, Crew, Task
from crewai.agents.parser import AgentFinish
from crewai.tasks.task_output import TaskOutput
from crewai.utilities.constants import NOT_SPECIFIED

from crewdeck_worker.project import Project
from crewdeck_worker.protocol import AttemptCommand, Failure, text_of

# What an agent's executor calls after its answer, in older versions by kind of memory.
memory_savers = ("_save_to_memory", "_create_short_term_memory", "_create_long_term_memory", "_create_external_memory")


def attempt(project: Project, command: AttemptCommand, check: Callable[[Crew], None] = lambda crew: None) -> dict[str, Any]:
    crew = project.crew()
    check(crew)
    for agent in crew.agents if project.is_debugged else []:
        agent.max_execution_time = None
    used_before = usage_of(crew)
    index, refusal, draft = command["task"], command["refusal"], command["draft"]
    earlier, target = crew.tasks[:index], crew.tasks[index]
    for task, raw in zip(earlier, command["earlier"]):
        task.output = output_with(task, raw)
    inputs = dict(command["inputs"])
    if command["isFirst"]:
        # They may return other inputs, which are those of all later tasks.
        for callback in crew.before_kickoff_callbacks:
            inputs = callback(inputs) or inputs
    crew.before_kickoff_callbacks = []
    is_skipped = False
    if hasattr(target, "should_execute"):
        is_skipped = bool(earlier) and not target.should_execute(earlier[-1].output)
        # Without its condition: crewAI refuses a crew of conditional tasks only.
        target = Task(**{name: getattr(target, name) for name in Task.model_fields.keys() - {"id"}})
    if not command["isLast"]:
        crew.after_kickoff_callbacks = []
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
    if is_skipped:
        target.output = output_with(target, "")
    untrace(crew)
    run_last([*earlier, target], crew)
    reviewer = Reviewer(target if command["isReviewed"] and not draft else None)
    ask(reviewer)
    if is_skipped:
        crew.planning = False
        output = text_of(kickoff(crew, inputs)) if crew.after_kickoff_callbacks else ""
        return {"output": output, "isSkipped": True, "inputs": inputs}

    def reply_with(output: str, **members: object) -> dict[str, Any]:
        used = {name: count - used_before[name] for name, count in usage_of(crew).items()}
        return {"output": output, "inputs": inputs, "usage": used, **members}

    if draft:
        result, refusal = finish(crew, target, inputs, draft, refusal)
        if refusal:
            return reply_with("", refusal=refusal)
    elif command["isReviewed"]:
        draft = draft_of(crew, target, inputs, reviewer)
        return reply_with(draft["output"], draft=draft)
    else:
        result = kickoff(crew, inputs)
    # Hooks after the kickoff may return another result.
    return reply_with((text_of(result) if crew.after_kickoff_callbacks else "") or target.output.raw)


def untrace(made: object) -> None:
    """For a crew or a flow. Older versions don't have these options."""
    for option in ("tracing", "stream"):
        if hasattr(made, option):
            setattr(made, option, False)


def run_last(tasks: list[Task], crew: Crew) -> None:
    """Lets the crew run only the last task, or nothing if that has an output, too; its result has all outputs, as when crewAI replays a task."""
    done = [task for task in tasks if task.output is not None]
    for task in done:
        # Of others, older versions keep only the last one's.
        task.async_execution = True
    crew.tasks = tasks[-1:]
    execute = crew._execute_tasks
    replace(crew, "_execute_tasks", lambda _: execute(tasks, len(done)))


def replace(made: object, method: str, function: Callable[..., Any]) -> None:
    """crewAI's classes refuse what isn't a field."""
    object.__setattr__(made, method, function)


def output_with(task: Task, raw: str) -> TaskOutput:
    """That of an earlier attempt, with the task's output model where it has one."""
    members: dict[str, Any] = {}
    try:
        if task.output_pydantic:
            members["pydantic"] = task.output_pydantic.model_validate_json(raw)
        elif task.output_json:
            members["json_dict"] = json.loads(raw)
    except ValueError:
        # A person may have edited the output; the text is kept.
        pass
    return TaskOutput(
        name=task.name or task.description,
        description=task.description,
        expected_output=task.expected_output,
        raw=raw,
        agent=task.agent.role if task.agent else "",
        **members,
    )


def note_task(note: str, agent: Agent | None) -> Task:
    task = Task(description="Feedback of a person", expected_output="Feedback", agent=agent)
    task.output = TaskOutput(description="Feedback of a person", raw=note, agent="Person")
    return task


def usage_of(crew: Crew) -> dict[str, int]:
    """Of all its models, which other crews may share."""
    usage = crew.calculate_usage_metrics()
    return {name: getattr(usage, name) for name in ("total_tokens", "prompt_tokens", "completion_tokens")}


class Reviewer:
    """Takes an agent's answer at a task in place of the person, who decides later, and keeps it out of the agent's memory until then.

    Refuses other tasks that would ask on the console, as of a crew that a flow or a tool starts: otherwise such a task runs three
    times, since crewAI repeats what fails at the end of the console.
    """

    def __init__(self, task: Task | None) -> None:
        self.task = task
        # None for an agent that doesn't ask, as those of other frameworks: it has no memory, either.
        self.text: str | None = None

    def setup_messages(self, context: Any) -> bool:
        """Newer versions call it before the agent's model."""
        if context.task and context.task.human_input:
            self.check(context.task)
        return False

    def post_setup_messages(self, context: Any) -> None:
        pass

    def handle_feedback(self, answer: Any, context: Any) -> Any:
        self.check(context.task)
        self.text = answer.text
        # Without a task, nothing is remembered.
        context.task = None
        return answer

    async def handle_feedback_async(self, answer: Any, context: Any) -> Any:
        return self.handle_feedback(answer, context)

    def check(self, task: Task) -> None:
        if task is not self.task:
            raise Failure(
                f'The task "{task.name or task.description}" has human_input, and nobody reads the console of a crew that a flow, '
                "a tool or a callback starts. Remove human_input. A method of a flow can ask: @human_feedback."
            )


def ask(reviewer: Reviewer) -> None:
    """Lets crewAI ask there."""
    try:
        from crewai.core.providers.human_input import set_provider
    except ImportError:
        from crewai.agents.crew_agent_executor import CrewAgentExecutor

        CrewAgentExecutor._handle_human_feedback = lambda executor, answer: reviewer.handle_feedback(answer, executor)
    else:
        set_provider(reviewer)


class EarlyEnd(BaseException):
    """Ends a kickoff with an agent's answer, or with why a guardrail refuses it. An `Exception` would make crewAI run the task again."""


def draft_of(crew: Crew, task: Task, inputs: dict[str, Any], reviewer: Reviewer) -> dict[str, Any]:
    """Runs the crew's task up to its review. Returns what `finish` needs, with the output for the person."""

    def answer(agent: Agent, run: Callable[[], Any], context: str, tools: list[Any]) -> NoReturn:
        raise EarlyEnd(run())

    replace_agent(task, answer)
    # `finish` logs the task's start and end.
    crew.output_log_file = None
    try:
        kickoff(crew, inputs)
    except EarlyEnd as end:
        (output,) = end.args
        is_model = hasattr(output, "model_dump_json")
        return {"output": output.model_dump_json() if is_model else output, "isModel": is_model, "text": reviewer.text}
    raise Failure("crewAI ended this task without asking its agent, so there is no draft to review. Remove human_input from the task.")


def finish(
    crew: Crew, task: Task, inputs: dict[str, Any], draft: dict[str, Any], last: dict[str, Any] | None
) -> tuple[Any, dict[str, Any] | None]:
    """Does what follows the approval of a draft. Returns the kickoff's result, or why a guardrail refuses the draft.

    Each retry after such a refusal is an attempt of its own, and begins with the guardrail that refused. `last` is the last refusal.
    """
    first, count = (last["guardrail"], last["count"]) if last else (0, 0)
    is_list = bool(task._guardrails)
    task._guardrails = task._guardrails[first:]
    log_file = crew.output_log_file
    asked: list[Agent] = []

    def answer(agent: Agent, run: Callable[[], Any], context: str, tools: list[Any]) -> Any:
        if asked:
            raise EarlyEnd(context)
        asked.append(agent)
        crew.output_log_file = log_file
        remember(agent, task, tools, draft)
        return output_of(task, draft)

    replace_agent(task, answer)
    crew.planning = False
    if last:
        # The task's start is logged.
        crew.output_log_file = None
    try:
        return kickoff(crew, inputs), None
    except EarlyEnd as end:
        (context,) = end.args
    later = max(task._guardrail_retry_counts, default=0)
    guardrail, count = first + later, 1 if later else count + 1
    if count <= task.guardrail_max_retries:
        return None, {"guardrail": guardrail, "count": count, "context": context}
    # As crewAI says it.
    name = f"guardrail {guardrail}" if is_list else "guardrail"
    reason = context.partition(": ")[2].partition("\n\n\n###")[0] or context
    raise Exception(f"Task failed {name} validation after {task.guardrail_max_retries} retries. Last error: {reason}")


def kickoff(crew: Crew, inputs: dict[str, Any]) -> Any:
    """Events of a kickoff that ends early would otherwise be the parents of all later ones."""
    return contextvars.copy_context().run(crew.kickoff, inputs)


def replace_agent(task: Task, answer: Callable[[Agent, Callable[[], Any], str, list[Any]], Any]) -> None:
    """Lets `answer` stand for the agent at this task; other tasks that are delegated to it are its own.

    The crew chooses the agent when it starts the task: that of a hierarchical crew is its manager.
    """
    execute = task.execute_sync

    def execute_sync(agent: Any = None, context: Any = None, tools: Any = None) -> Any:
        agent = agent or task.agent
        run = agent.execute_task

        def execute_task(task: Task, context: Any = None, tools: Any = None) -> Any:
            if task is not reviewed:
                return run(task, context, tools)
            return answer(agent, lambda: run(task, context, tools), context, tools)

        replace(agent, "execute_task", execute_task)
        return execute(agent=agent, context=context, tools=tools)

    reviewed = task
    replace(task, "execute_sync", execute_sync)


def remember(agent: Agent, task: Task, tools: list[Any], draft: dict[str, Any]) -> None:
    """Saves the approved answer, as the agent's executor does."""
    if draft["text"] is None:
        return
    agent.create_agent_executor(tools=tools, task=task)
    for name in memory_savers:
        if hasattr(agent.agent_executor, name):
            getattr(agent.agent_executor, name)(AgentFinish(thought="", output=draft["output"], text=draft["text"]))


def output_of(task: Task, draft: dict[str, Any]) -> Any:
    if not draft["isModel"]:
        return draft["output"]
    model = getattr(task, "response_model", None) or task.output_pydantic or task.output_json
    return model.model_validate_json(draft["output"])
