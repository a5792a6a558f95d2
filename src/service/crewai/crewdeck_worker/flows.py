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

from crewdeck_worker import reviews
from crewdeck_worker.attempts import untrace
from crewdeck_worker.events import Watch, text_of_value
from crewdeck_worker.projects import Project
from crewdeck_worker.protocol import Failure, FlowCommand


def flow_part(project: Project, command: FlowCommand, watch: Watch) -> dict[str, Any]:
    make = flow_of(project)
    os.makedirs(command["store"], exist_ok=True)
    store = Store(os.path.join(command["store"], "flow_states.db"))
    answer = command["answer"]
    state, context = store.load_pending_feedback(command["id"]) or (None, None)
    if context and not (answer and context.requested_at.isoformat() == answer["requestedAt"]):
        # A worker came this far before it ended.
        return {"output": "", "pause": pause_of(context, state), "usage": None}
    if answer and not context:
        raise Failure("What crewAI stored when the flow paused is gone. Kick off again.")
    if answer:
        flow = make.from_pending(command["id"], store)
        choose(flow.pending_feedback, answer["outcomes"])
    else:
        flow = make(persistence=store)
        if isinstance(flow.state, dict):
            flow.state["id"] = command["id"]
        else:
            flow.state.id = command["id"]
    untrace(flow)
    flow_config.hitl_provider = Person(flow)
    flow_config.input_provider = Nobody()
    reviews.refuse_on_console()
    watch.flow, watch.resumed = flow, context.method_name if context else None
    unclear = None
    try:
        result = flow.resume(answer["feedback"]) if answer else flow.kickoff(inputs=command["inputs"])
    except Exception as error:
        # By its name: older versions take the first option instead.
        if not answer or type(error).__name__ != "HumanFeedbackCollapseError":
            raise
        unclear = f"crewAI could not tell which option was meant by: {answer['feedback']}"
        print(f"{unclear}\n{error}")
    usage = getattr(flow, "usage_metrics", None)
    usage = usage.model_dump() if usage else None
    if unclear:
        # The person is asked again.
        pause = pause_of(context, state)
        return {"output": pause["output"], "pause": {**pause, "message": f"{pause['message']}\n\n{unclear}"}, "usage": usage}
    if isinstance(result, HumanFeedbackPending):
        return {"output": text_of_value(result.context.method_output), "pause": pause_of(result.context, flow.state), "usage": usage}
    return {"output": text_of_value(result), "usage": usage}


class DeclaredFlow:
    """Makes flows from a declaration, as a class of a flow does."""

    def __init__(self, definition: FlowDefinition) -> None:
        self.definition = definition

    def __call__(self, **members: Any) -> Flow:
        return Flow.from_declaration(contents=self.definition, **members)

    def from_pending(self, flow_id: str, store: SQLiteFlowPersistence) -> Flow:
        return Flow.from_pending(flow_id, store, definition=self.definition)

    def flow_definition(self) -> FlowDefinition:
        return self.definition


def flow_of(project: Project) -> Any:
    """What makes the project's flow."""
    if project.is_declarative:
        return DeclaredFlow(FlowDefinition.from_declaration(path=os.path.join(project.source, project.file)))
    return flow_in(project.module(), project.crew_class)


def flow_in(module: ModuleType, wanted: str | None) -> type[Flow]:
    """The flow with this name, the only one, or the one that the function `kickoff` starts."""
    flows = {name: value for name, value in vars(module).items() if isinstance(value, type) and issubclass(value, Flow)}
    flows.pop("Flow", None)
    own = {name: value for name, value in flows.items() if value.__module__ == module.__name__}
    found = own or flows
    if wanted in found:
        return found[wanted]
    if len(found) > 1:
        started = getattr(getattr(getattr(module, "kickoff", None), "__code__", None), "co_names", ())
        found = {name: value for name, value in found.items() if name in started} or found
    if not found:
        raise Failure(f"{module.__name__} defines no flow: it needs a class that derives from Flow.")
    if len(found) > 1:
        raise Failure(f"{module.__name__} defines several flows: {', '.join(found)}. Let its function kickoff start one of them.")
    return next(iter(found.values()))


def describe_flow(flow: Any) -> dict[str, Any]:
    """As the service's `CrewProject` has it: its methods are the tasks."""
    methods = flow.flow_definition().methods.items()
    tasks = [
        {
            "id": name,
            "description": getattr(method.human_feedback, "message", ""),
            "expectedOutput": "",
            "humanInput": method.human_feedback is not None,
            "extras": "",
        }
        for name, method in methods
    ]
    return {"agents": [], "tasks": tasks}


def inputs_of_flow(flow: Flow) -> list[str]:
    """The members of its state, without the one that belongs to crewAI."""
    state = flow.state
    return [name for name in (state if isinstance(state, dict) else type(state).model_fields) if name != "id"]


class Store(SQLiteFlowPersistence):
    """crewAI's own. It keeps a pause that was answered, so that what follows can run again after a kill."""

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        pass


class Person:
    """Stands for whoever gives feedback later."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def request_feedback(self, context: Any, flow: Flow) -> NoReturn:
        if flow is not self.flow:
            raise Failure(
                f"{type(flow).__name__}.{context.method_name} waits for a person inside another flow, which can't be continued. "
                "Let a method of the outer flow wait."
            )
        raise HumanFeedbackPending(context=context)


class Nobody:
    """Stands for a console, which the service has none of."""

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
        "output": text_of_value(context.method_output),
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
