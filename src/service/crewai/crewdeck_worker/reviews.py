"""Runs a task that a person reviews in two parts: the draft, and once it is approved, what crewAI does after its own question.

crewAI asks between the last answer of the task's agent and all that follows: the agent's memory, guardrails, conversion to an
output model, callbacks and the output file. What is private of crewAI is in `remember`, `set_reviewer` and `Guardrails`.
"""

import contextvars
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from crewai import Agent, Crew, Task
from crewai.agents.parser import AgentFinish

from crewdeck_worker.protocol import Failure

Result = TypeVar("Result")

# What an agent's executor calls after its answer, in older versions by kind of memory.
memory_savers = ("_save_to_memory", "_create_short_term_memory", "_create_long_term_memory", "_create_external_memory")


class Draft(BaseException):
    """Ends a kickoff with an agent's answer. An `Exception` would make crewAI run the task again."""


class Refused(BaseException):
    """Ends a kickoff in which a guardrail refuses the approved output. Its message is the context of the next attempt."""


def draft_of(crew: Crew, task: Task, inputs: dict[str, Any]) -> dict[str, Any]:
    """Runs the crew's only task up to its review. Returns what `finish` needs, with the output for the person."""
    reviewer = Reviewer(task)

    def answer(agent: Agent, run: Callable[..., Any], context: str, tools: list[Any]) -> NoReturn:
        raise Draft(run(context=context, tools=tools))

    def run() -> None:
        set_reviewer(reviewer)
        crew.kickoff(inputs=inputs)

    replace_agent(task, answer)
    # `finish` logs the task's start and end.
    crew.output_log_file = None
    try:
        apart(run)
    except Draft as draft:
        (output,) = draft.args
        is_model = hasattr(output, "model_dump_json")
        return {"output": output.model_dump_json() if is_model else output, "isModel": is_model, "text": reviewer.text}
    raise RuntimeError("crewAI ended this task without asking its agent, so there is no draft to review. Remove human_input from the task.")


def finish(
    crew: Crew, task: Task, inputs: dict[str, Any], draft: dict[str, Any], refusal: dict[str, Any] | None
) -> tuple[Any, dict[str, Any] | None]:
    """Does what follows the approval of a draft. Returns the kickoff's result, and the refusal if a guardrail refuses the draft.

    `refusal` is the last one of this task.
    """
    guardrails = Guardrails(task, refusal)
    log_file = crew.output_log_file
    asked: list[Agent] = []

    def answer(agent: Agent, run: Callable[..., Any], context: str, tools: list[Any]) -> Any:
        if asked:
            raise Refused(context)
        asked.append(agent)
        crew.output_log_file = log_file
        remember(agent, task, tools, draft)
        return output_of(task, draft)

    replace_agent(task, answer)
    crew.planning = False
    if refusal:
        # The task's start is logged.
        crew.output_log_file = None
    try:
        return apart(lambda: crew.kickoff(inputs=inputs)), None
    except Refused as refused:
        return None, guardrails.refusal(str(refused))


def apart(run: Callable[[], Result]) -> Result:
    """Events of a kickoff that ends early would otherwise be the parents of all later ones."""
    return contextvars.copy_context().run(run)


def replace_agent(task: Task, answer: Callable[[Agent, Callable[..., Any], str, list[Any]], Any]) -> None:
    """Lets `answer` stand for the agent at this task; other tasks that are delegated to it are its own.

    The crew chooses the agent when it starts the task: that of a hierarchical crew is its manager.
    """
    execute = task.execute_sync

    def execute_sync(agent: Any = None, context: Any = None, tools: Any = None) -> Any:
        agent = agent or task.agent
        run = agent.execute_task

        def execute_task(task: Task, context: Any = None, tools: Any = None) -> Any:
            if task is not reviewed:
                return run(task=task, context=context, tools=tools)
            return answer(agent, lambda **given: run(task=task, **given), context, tools)

        # crewAI's classes refuse what isn't a field.
        object.__setattr__(agent, "execute_task", execute_task)
        return execute(agent=agent, context=context, tools=tools)

    reviewed = task
    object.__setattr__(task, "execute_sync", execute_sync)


class NoReviewer:
    """Refuses a task that would ask on the console, as of a crew that a flow or a tool starts; since some version, before it calls a model."""

    def setup_messages(self, context: Any) -> bool:
        if context.task and context.task.human_input:
            self.handle_feedback(None, context)
        return False

    def post_setup_messages(self, context: Any) -> None:
        pass

    def handle_feedback(self, answer: Any, context: Any) -> Any:
        task = context.task
        raise Failure(
            f'The task "{task.name or task.description}" has human_input, and nobody reads the console of a crew that a flow, '
            "a tool or a callback starts. Remove human_input. A method of a flow can ask: @human_feedback."
        )

    async def handle_feedback_async(self, answer: Any, context: Any) -> Any:
        return self.handle_feedback(answer, context)


class Reviewer(NoReviewer):
    """Takes the agent's answer in place of the person, who decides later, and keeps it out of the agent's memory until then."""

    def __init__(self, task: Task) -> None:
        self.task = task
        # None for an agent that doesn't ask, as those of other frameworks: it has no memory, either.
        self.text: str | None = None

    def setup_messages(self, context: Any) -> bool:
        return context.task is not self.task and super().setup_messages(context)

    def handle_feedback(self, answer: Any, context: Any) -> Any:
        if context.task is not self.task:
            return super().handle_feedback(answer, context)
        self.text = answer.text
        # Without a task, nothing is remembered.
        context.task = None
        return answer


def refuse_on_console() -> None:
    """Otherwise such a task runs three times: crewAI repeats what fails at the end of the console. Older versions can't be told."""
    try:
        from crewai.core.providers.human_input import set_provider
    except ImportError:
        return
    set_provider(NoReviewer())


def set_reviewer(reviewer: Reviewer) -> None:
    """Lets crewAI ask there."""
    try:
        from crewai.core.providers.human_input import set_provider
    except ImportError:
        from crewai.agents.crew_agent_executor import CrewAgentExecutor

        CrewAgentExecutor._handle_human_feedback = lambda executor, answer: reviewer.handle_feedback(answer, executor)
    else:
        set_provider(reviewer)


def remember(agent: Agent, task: Task, tools: list[Any], draft: dict[str, Any]) -> None:
    """Saves the approved answer, as the agent's executor does."""
    if draft["text"] is None:
        return
    agent.create_agent_executor(tools=tools, task=task)
    for name in memory_savers:
        if hasattr(agent.agent_executor, name):
            getattr(agent.agent_executor, name)(AgentFinish(thought="", output=draft["output"], text=draft["text"]))


def output_of(task: Task, draft: dict[str, Any]) -> Any:
    """As the agent returned it."""
    if not draft["isModel"]:
        return draft["output"]
    model = getattr(task, "response_model", None) or task.output_pydantic or task.output_json
    return model.model_validate_json(draft["output"])


class Guardrails:
    """Those of a task. Each retry after a refusal is an attempt of its own, and begins with the guardrail that refused."""

    def __init__(self, task: Task, refusal: dict[str, Any] | None) -> None:
        self.task = task
        self.first: int
        self.count: int
        self.first, self.count = (refusal["guardrail"], refusal["count"]) if refusal else (0, 0)
        self.is_list = bool(task._guardrails)
        if self.first:
            task._guardrails = task._guardrails[self.first :]

    def refusal(self, context: str) -> dict[str, Any]:
        """For the next attempt. Raises, as crewAI does, if there were as many as the task allows."""
        later = max(self.task._guardrail_retry_counts, default=0)
        count = 1 if later else self.count + 1
        guardrail = self.first + later
        most = self.task.guardrail_max_retries
        if count > most:
            name = f"guardrail {guardrail}" if self.is_list else "guardrail"
            reason = context.partition(": ")[2].partition("\n\n\n###")[0] or context
            raise Exception(f"Task failed {name} validation after {most} retries. Last error: {reason}")
        return {"guardrail": guardrail, "count": count, "context": context}
