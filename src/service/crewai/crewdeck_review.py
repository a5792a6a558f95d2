"""Runs a task that a person reviews in two parts: the draft, and once it is approved, what crewAI does after its own question.

crewAI asks between the last answer of the task's agent and all that follows: the agent's memory, guardrails, conversion to an
output model, callbacks and the output file. What is private of crewAI is in `remember`, `in_older_versions` and `Guardrails`.
"""

import contextvars

# What an agent's executor calls after its answer, in older versions by kind of memory.
memory_savers = ("_save_to_memory", "_create_short_term_memory", "_create_long_term_memory", "_create_external_memory")


class Draft(BaseException):
    """Ends a kickoff with an agent's answer. An `Exception` would make crewAI run the task again."""


class Refused(BaseException):
    """Ends a kickoff in which a guardrail refuses the approved output. Its message is the context of the next attempt."""


def draft_of(crew, task, inputs, nobody):
    """Runs the crew's only task up to its review. Returns what `finish` needs, with the output for the person.

    `nobody` answers for the tasks of other crews that this one starts.
    """
    reviewer = Reviewer(task, nobody)

    def answer(agent, run, context, tools):
        raise Draft(run(context=context, tools=tools))

    def run():
        reviewer.ask()
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


def finish(crew, task, inputs, draft, refusal):
    """Does what follows the approval of a draft. Returns the kickoff's result, and the refusal if a guardrail refuses the draft.

    `refusal` is the last one of this task.
    """
    guardrails = Guardrails(task, refusal)
    log_file = crew.output_log_file
    asked = []

    def answer(agent, run, context, tools):
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


def apart(run):
    """Events of a kickoff that ends early would otherwise be the parents of all later ones."""
    return contextvars.copy_context().run(run)


def replace_agent(task, answer):
    """Lets `answer` stand for the agent at this task; other tasks that are delegated to it are its own.

    The crew chooses the agent when it starts the task: that of a hierarchical crew is its manager.
    """
    execute = task.execute_sync

    def execute_sync(agent=None, context=None, tools=None):
        agent = agent or task.agent
        run = agent.execute_task

        def execute_task(task, context=None, tools=None):
            if task is not reviewed:
                return run(task=task, context=context, tools=tools)
            return answer(agent, lambda **given: run(task=task, **given), context, tools)

        # crewAI's classes refuse what isn't a field.
        object.__setattr__(agent, "execute_task", execute_task)
        return execute(agent=agent, context=context, tools=tools)

    reviewed = task
    object.__setattr__(task, "execute_sync", execute_sync)


class Reviewer:
    """Takes the agent's answer in place of the person, who decides later, and keeps it out of the agent's memory until then."""

    def __init__(self, task, nobody):
        self.task = task
        self.nobody = nobody
        # None for an agent that doesn't ask, as those of other frameworks: it has no memory, either.
        self.text = None

    def ask(self):
        """Lets crewAI ask here."""
        try:
            from crewai.core.providers.human_input import set_provider
        except ImportError:
            in_older_versions(self)
        else:
            set_provider(self)

    def setup_messages(self, context):
        return False if context.task is self.task else self.nobody.setup_messages(context)

    def post_setup_messages(self, context):
        pass

    def handle_feedback(self, answer, context):
        if context.task is not self.task:
            return self.nobody.handle_feedback(answer, context)
        self.text = answer.text
        # Without a task, nothing is remembered.
        context.task = None
        return answer

    async def handle_feedback_async(self, answer, context):
        return self.handle_feedback(answer, context)


def in_older_versions(reviewer):
    from crewai.agents.crew_agent_executor import CrewAgentExecutor

    CrewAgentExecutor._handle_human_feedback = lambda executor, answer: reviewer.handle_feedback(answer, executor)


def remember(agent, task, tools, draft):
    """Saves the approved answer, as the agent's executor does."""
    from crewai.agents.parser import AgentFinish

    if draft["text"] is None:
        return
    agent.create_agent_executor(tools=tools, task=task)
    for name in memory_savers:
        if hasattr(agent.agent_executor, name):
            getattr(agent.agent_executor, name)(AgentFinish(thought="", output=draft["output"], text=draft["text"]))


def output_of(task, draft):
    """As the agent returned it."""
    if not draft["isModel"]:
        return draft["output"]
    model = getattr(task, "response_model", None) or task.output_pydantic or task.output_json
    return model.model_validate_json(draft["output"])


class Guardrails:
    """Those of a task. Each retry after a refusal is an attempt of its own, and begins with the guardrail that refused."""

    def __init__(self, task, refusal):
        self.task = task
        self.first, self.count = (refusal["guardrail"], refusal["count"]) if refusal else (0, 0)
        self.is_list = bool(task._guardrails)
        if self.first:
            task._guardrails = task._guardrails[self.first :]

    def refusal(self, context):
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
