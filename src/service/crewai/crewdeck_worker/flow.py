"""Runs a part of a flow: from its start, or from the pause that is answered, to its next pause or its end.

Its modules of crewAI exist since 1.15.0.
"""

import json
import os
from types import ModuleType
from typing import Any, NoReturn

from crewai.flow.async_feedback import HumanFeedbackPending
from crewai.flow.flow import Flow
from crewai.flow.flow_config import flow_config
from crewai.flow.flow_definition import FlowDefinition
from crewai.flow.persistence import SQLiteFlowPersistence
from crewai.llms.base_llm import BaseLLM

from crewdeck_worker.attempt import Reviewer, ask, untrace
from crewdeck_worker.project import Project
from crewdeck_worker.protocol import Failure, FlowCommand, Watch, text_of


def flow_part(project: Project, command: FlowCommand, watch: Watch) -> dict[str, Any]:
    kind, definition = flow_of(project)
    os.makedirs(command["store"], exist_ok=True)
    store = Store(os.path.join(command["store"], "flow_states.db"))
    answer = command["answer"]
    state, context = store.load_pending_feedback(command["id"]) or (None, None)
    if context and not (answer and context.requested_at.isoformat() == answer["requestedAt"]):
        # A worker came this far before it ended.
        return {"output": "", "pause": pause_of(context, state)}
    if answer and not context:
        raise Failure("What crewAI stored when the flow paused is gone. Kick off again.")
    if answer:
        flow = kind.from_pending(command["id"], store, definition=definition)
        choose(flow.pending_feedback, answer["outcomes"])
    else:
        flow = new_flow(kind, definition, persistence=store)
        if isinstance(flow.state, dict):
            flow.state["id"] = command["id"]
        else:
            flow.state.id = command["id"]
    untrace(flow)
    flow_config.hitl_provider = flow_config.input_provider = Person(flow)
    ask(Reviewer(None))
    watch.flow, watch.resumed = flow, context.method_name if context else None
    pause = None
    try:
        result = flow.resume(answer["feedback"]) if answer else flow.kickoff(inputs=command["inputs"])
        if isinstance(result, HumanFeedbackPending):
            pause = pause_of(result.context, flow.state)
    except Exception as error:
        # By its name: older versions take the first option instead.
        if not answer or type(error).__name__ != "HumanFeedbackCollapseError":
            raise
        unclear = f"crewAI could not tell which option was meant by: {answer['feedback']}"
        print(f"{unclear}\n{error}")
        # The person is asked again.
        pause = pause_of(context, state)
        pause["message"] += f"\n\n{unclear}"
    usage = getattr(flow, "usage_metrics", None)
    return {"output": pause["output"] if pause else text_of(result), "pause": pause, "usage": usage and usage.model_dump()}


def flow_of(project: Project) -> tuple[type[Flow], FlowDefinition | None]:
    if project.is_declarative:
        return Flow, FlowDefinition.from_declaration(path=os.path.join(project.source, project.file))
    return flow_in(project.module()), None


def new_flow(kind: type[Flow], definition: FlowDefinition | None, **members: Any) -> Flow:
    return Flow.from_declaration(contents=definition, **members) if definition else kind(**members)


def flow_in(module: ModuleType) -> type[Flow]:
    """The only flow, or the one that the function `kickoff` starts."""
    flows = {name: value for name, value in vars(module).items() if isinstance(value, type) and issubclass(value, Flow)}
    flows.pop("Flow", None)
    own = {name: value for name, value in flows.items() if value.__module__ == module.__name__}
    found = own or flows
    if len(found) > 1:
        started = getattr(getattr(getattr(module, "kickoff", None), "__code__", None), "co_names", ())
        found = {name: value for name, value in found.items() if name in started} or found
    if not found:
        raise Failure(f"{module.__name__} defines no flow: it needs a class that derives from Flow.")
    if len(found) > 1:
        raise Failure(f"{module.__name__} defines several flows: {', '.join(found)}. Let its function kickoff start one of them.")
    return next(iter(found.values()))


def describe_flow(project: Project) -> dict[str, Any]:
    """As the service's `CrewProject` has it: its methods are the tasks."""
    kind, definition = flow_of(project)
    tasks = [
        {
            "id": name,
            "description": getattr(method.human_feedback, "message", ""),
            "expectedOutput": "",
            "humanInput": method.human_feedback is not None,
            "extras": "",
        }
        for name, method in (definition or kind.flow_definition()).methods.items()
    ]
    return {"agents": [], "tasks": tasks}


def inputs_of_flow(project: Project) -> list[str]:
    """The members of its state, without the one that belongs to crewAI."""
    state = new_flow(*flow_of(project)).state
    return [name for name in (state if isinstance(state, dict) else type(state).model_fields) if name != "id"]


class Store(SQLiteFlowPersistence):
    """crewAI's own. It keeps a pause that was answered, so that what follows can run again after a kill."""

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        pass


class Person:
    """Stands for whoever gives feedback later; nobody reads the console."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def request_feedback(self, context: Any, flow: Flow) -> NoReturn:
        if flow is not self.flow:
            raise Failure(
                f"{type(flow).__name__}.{context.method_name} waits for a person inside another flow, which can't be continued. "
                "Let a method of the outer flow wait."
            )
        raise HumanFeedbackPending(context=context)

    def request_input(self, message: str, flow: Flow, metadata: object = None) -> None:
        print(f"Flow.ask() gets None here, because nobody reads the console: {message}")


def choose(context: Any, outcomes: list[str] | None) -> None:
    """Lets crewAI choose only between these options, and call no model for a single one."""
    if not (context.emit and outcomes):
        return
    context.emit = outcomes
    context.default_outcome = context.default_outcome if context.default_outcome in outcomes else None
    if len(outcomes) > 1:
        return
    llm, outcome = context.llm, outcomes[0]

    class Chosen(BaseLLM):
        def call(self, *args: Any, **kwargs: Any) -> str:
            # Lessons from the feedback are for the flow's own model.
            context.llm = llm
            return outcome

    context.llm = Chosen(model="chosen")


def pause_of(context: Any, state: object) -> dict[str, Any]:
    return {
        "method": context.method_name,
        "output": text_of(context.method_output),
        "message": context.message,
        "options": context.emit,
        "defaultOption": context.default_outcome,
        "metadata": plain(context.to_dict()["metadata"]),
        "state": plain(state),
        "requestedAt": context.requested_at.isoformat(),
    }


def plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    try:
        return json.loads(json.dumps(dump(mode="json") if dump else value, default=str, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return {}
