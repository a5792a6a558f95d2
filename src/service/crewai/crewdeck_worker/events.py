"""Reports steps and events of crewAI's event bus: only those that are named here, and of each what is small and public."""

import enum
import json
from collections.abc import Callable
from typing import Any

from crewai import events

# Characters of a step's texts, which are shown, not used.
longest_step = 1_000_000
# Characters of an event's texts.
longest_text = 2_000
# The first words of the classes of events, which end in one of `endings` and "Event".
reported = (
    *("TaskStarted", "AgentExecution", "LiteAgentExecution", "AgentReasoning", "PlanStep"),
    *("LLMCall", "LLMGuardrail", "ContextWindowSummarization", "ToolUsage", "ToolSelection", "ToolValidateInput", "ToolExecution"),
    *("MCPConnection", "MCPToolExecution", "MCPConfigFetch", "MemoryQuery", "MemoryRetrieval", "MemorySave"),
    *("KnowledgeQuery", "KnowledgeRetrieval", "KnowledgeSearchQuery", "Flow", "MethodExecution", "HumanFeedback"),
)
# The service itself reports a crew and the end of its tasks; not of those in a flow.
reported_in_flows = ("CrewKickoff", "Task")
endings = ("", "Started", "Completed", "Finished", "Failed", "Error", "Requested", "Received")
members = (
    *("type", "event_id", "parent_event_id", "started_event_id", "task_name", "agent_role", "flow_name", "crew_name", "method_name"),
    *("model", "call_type", "usage", "finish_reason", "tool_name", "tool_args", "from_cache", "query", "output", "response", "error"),
)

Reply = Callable[..., None]


class Watch:
    """Tells the flow's own methods from those of flows inside it."""

    def __init__(self) -> None:
        self.flow: object = None
        # The method whose pause is answered: crewAI reports its end, and since some version its start, once more.
        self.resumed: str | None = None
        self.again: set[str] = set()
        self.known: set[str] = set()

    def method_of(self, source: object, event: Any) -> str | None:
        """Its name, if the event is about a method of the flow; "" for one that is reported once more."""
        if source is not self.flow or not event.type.startswith("method_execution_"):
            return None
        name: str = event.method_name
        if event.type == "method_execution_started":
            if name == self.resumed:
                self.resumed = None
                self.again.add(event.event_id)
                return ""
            self.known.add(event.event_id)
            return name
        if event.started_event_id in self.again:
            return ""
        if name == self.resumed and event.started_event_id not in self.known:
            self.resumed = None
            return ""
        return name


def listen(reply: Reply, watch: Watch) -> None:
    """The listeners are coroutines: crewAI's event bus runs these in the order of the events, and functions on a pool of threads."""

    async def on_tool(source: object, event: Any) -> None:
        arguments = event.tool_args if isinstance(event.tool_args, str) else json.dumps(event.tool_args, default=str)
        reply("step", tool=event.tool_name, toolInput=arguments[:longest_step], result=str(event.output)[:longest_step])

    async def on_answer(source: object, event: Any) -> None:
        reply("step", tool=None, toolInput=None, result=str(event.output)[:longest_step])

    async def on_event(source: object, event: Any) -> None:
        method = watch.method_of(source, event) if watch.flow else None
        if method:
            output = text_of_value(getattr(event, "result", None))
            reply("event", event={**described(event), "output": output[:longest_text]}, method={"name": method, "output": output})
        elif method is None:
            reply("event", event=described(event))

    async def on_event_in_flow(source: object, event: Any) -> None:
        if watch.flow:
            reply("event", event=described(event))

    def on(names: tuple[str, ...], listener: Callable[[object, Any], Any]) -> None:
        for kind in (getattr(events, f"{name}Event", None) for name in names):
            # Versions differ in their events.
            if kind:
                events.crewai_event_bus.on(kind)(listener)

    on(("ToolUsageFinished",), on_tool)
    on(("AgentExecutionCompleted",), on_answer)
    on(tuple(name + ending for name in reported for ending in endings), on_event)
    on(("CrewKickoffStarted", "CrewKickoffCompleted", "CrewKickoffFailed", "TaskCompleted", "TaskFailed"), on_event_in_flow)


def described(event: Any) -> dict[str, Any]:
    """What is small and public of an event: some hold whole agents, tasks and prompts."""
    found = {name: short(getattr(event, name, None)) for name in members}
    found["timestamp"] = event.timestamp.isoformat()
    # Of a crew or a task in a flow.
    raw = getattr(getattr(event, "output", None), "raw", None)
    found["output"] = found["output"] if raw is None else short(raw)
    # These have no role of their own.
    found["agent_role"] = found["agent_role"] or short(getattr(getattr(event, "agent", None), "role", None))
    found["thought"] = short(getattr(getattr(event, "formatted_answer", None), "thought", None))
    if event.type == "llm_call_started":  # The end has the same once more.
        found["messages"] = last_messages(event.messages)
    return {name: value for name, value in found.items() if value not in (None, "")}


def last_messages(messages: object) -> object:
    """The end of a prompt: its beginning, which says who the agent is, is the same for each of the agent's calls."""
    if not isinstance(messages, list):
        return short(messages)
    kept: list[dict[str, object]] = []
    left = longest_text
    for message in reversed(messages):
        if left <= 0 or not isinstance(message, dict):
            break
        text = text_of_value(message.get("content"))[:left]
        left -= len(text)
        kept.insert(0, {"role": short(message.get("role")), "content": text})
    return kept


def short(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, str):
        return value[:longest_text]
    try:
        text = json.dumps(value, default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return str(value)[:longest_text]
    return json.loads(text) if len(text) <= longest_text else text[:longest_text]


def text_of_value(value: Any) -> str:
    """Of what a method of a flow returned, which may be anything."""
    if value is None or isinstance(value, str):
        return value or ""
    # The output of a crew, and what a person gave feedback about.
    for member in ("raw", "output"):
        if hasattr(value, member):
            return text_of_value(getattr(value, member))
    try:
        return value.model_dump_json() if hasattr(value, "model_dump_json") else json.dumps(value, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def flush() -> None:
    """Waits for the steps and events of an attempt: newer versions report them on other threads."""
    if hasattr(events.crewai_event_bus, "flush"):
        events.crewai_event_bus.flush()
