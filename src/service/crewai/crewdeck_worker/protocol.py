"""How the worker speaks with the service that started it: commands, replies, and reports of steps and events.

One JSON object a line. Standard input brings commands, standard output takes replies (replies.ts has their members); what the
project prints goes to standard error. When standard input closes, the worker and all that it started end.
"""

import contextlib
import enum
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Any, TypedDict

# The exit code of a worker whose project closed a pipe to the service (worker.ts).
pipe_closed = 70
# Characters of a step's texts, which are shown, not used.
longest_step = 1_000_000
# Characters of an event's texts.
longest_text = 2_000
# The first words of the classes of events, which end in one of `endings` and "Event".
reported = (
    *("CrewKickoff", "Task", "AgentExecution", "LiteAgentExecution", "AgentLogsExecution", "AgentReasoning", "PlanStep"),
    *("LLMCall", "LLMGuardrail", "ContextWindowSummarization", "ToolUsage", "ToolSelection", "ToolValidateInput", "ToolExecution"),
    *("MCPConnection", "MCPToolExecution", "MCPConfigFetch", "MemoryQuery", "MemoryRetrieval", "MemorySave"),
    *("KnowledgeQuery", "KnowledgeRetrieval", "KnowledgeSearchQuery", "Flow", "MethodExecution", "HumanFeedback"),
)
endings = ("", "Started", "Completed", "Finished", "Failed", "Error", "Requested", "Received")
# The service itself reports these of a crew; not of those in a flow.
reported_in_flows = ("crew_kickoff_started", "crew_kickoff_completed", "crew_kickoff_failed", "task_completed", "task_failed")
# What an agent thinks, for crewAI, if its model just answered.
no_thought = "Failed to parse LLM response"
members = (
    *("type", "event_id", "parent_event_id", "started_event_id", "task_name", "agent_role", "flow_name", "crew_name", "method_name"),
    *("call_id", "model", "call_type", "usage", "finish_reason", "tool_name", "tool_args", "from_cache", "query", "output", "response", "error"),
)


class Replay(TypedDict):
    # The recording's path.
    file: str
    # The tools that run for real; "live" for all.
    live: list[str] | str


class ProjectCommand(TypedDict):
    folder: str
    # The same folder, or a copy of its files from before they were edited.
    source: str
    # Such as src/poem/crew.py, or crew.jsonc.
    file: str
    # Chooses one of several in a file.
    crewClass: str | None
    storage: str | None
    isFlow: bool
    # Variables that win over the project's own.
    environment: dict[str, str]
    replay: Replay | None
    # Where a debugger waits for this process.
    debugPort: int | None


class Rules(TypedDict):
    """Which calls are held until a person has answered (gate.py)."""

    # Tools that are asked about; "*" for all.
    ask: list[str]
    # Those that a person has allowed for the whole execution.
    allowed: list[str]
    # The execution's budget, `tokens` and `dollars`, and the `prices` by which dollars are known.
    limits: dict[str, Any]
    # What it had used when a person gave it as much again.
    since: dict[str, float]
    # What the execution has used: model, tokens of the prompt and of the completion.
    used: list[tuple[str, int, int]]
    # Questions about outputs, with the task's name, if it isn't about the result (judge.py).
    judge: list[dict[str, str]]


class AttemptCommand(TypedDict):
    # The task's name, and the number of the attempt.
    at: tuple[str, int]
    rules: Rules
    task: int
    inputs: dict[str, Any]
    # The outputs of the tasks before it, empty for one that was skipped.
    earlier: list[str]
    notes: list[str]
    isFirst: bool
    isLast: bool
    isReviewed: bool
    # That of the task's last attempt.
    refusal: dict[str, Any] | None
    # The approved one.
    draft: dict[str, Any] | None


class FlowAnswer(TypedDict):
    requestedAt: str
    feedback: str
    outcomes: list[str] | None


class FlowCommand(TypedDict):
    id: str
    # The folder of what crewAI stores when the flow pauses.
    store: str
    inputs: dict[str, Any]
    answer: FlowAnswer | None


class Failure(Exception):
    """What a person can mend in the project; its message is the whole answer."""


class Service:
    """The service. Takes standard input and output for itself: the project reads nothing, and prints to standard error."""

    def __init__(self) -> None:
        self.commands: queue.Queue[dict[str, Any]] = queue.Queue()
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.pid = os.getpid()
        self.lock = threading.Lock()
        self.lines = os.fdopen(os.dup(0), encoding="utf-8")
        self.replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self.pipes = {stream: os.fstat(stream.fileno()) for stream in (self.lines, self.replies)}
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        threading.Thread(target=self.read, daemon=True).start()

    @property
    def is_in_fork(self) -> bool:
        """Whether this is a process that the project forked."""
        return os.getpid() != self.pid

    def has(self, stream: TextIOWrapper) -> bool:
        """Whether it still leads to the service: after the project closed it, a file that it opened may have its number."""
        return os.path.samestat(os.fstat(stream.fileno()), self.pipes[stream])

    def reply(self, kind: str, **given: object) -> None:
        # Lone surrogates are valid in a Python string, and only escapes carry them.
        reply = {"type": kind, **{name: value for name, value in given.items() if value is not None}}
        line = json.dumps(reply, ensure_ascii=True, allow_nan=False, default=str)
        with self.lock:
            try:
                if self.has(self.replies):
                    self.replies.write(line + "\n")
                    self.replies.flush()
                    return
            except BrokenPipeError:  # The service has ended.
                end()
            except OSError:  # The project closed it.
                pass
            self.end_for_closed_pipe()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Asks a person, and waits for the answer, however long that takes. One question at a time."""
        if self.is_in_fork:
            raise RuntimeError("a process that the project forked can't ask")
        self.reply("question", question=question)
        return self.answers.get()

    def read(self) -> None:
        try:
            for line in self.lines:
                command = json.loads(line)
                (self.answers if command["do"] == "answer" else self.commands).put(command)
            if self.has(self.lines):
                end()
        except (OSError, ValueError):
            pass
        # The project closed it, or another file has its number, such as one that is opened to end for the other pipe.
        self.end_for_closed_pipe()

    def end_for_closed_pipe(self) -> None:
        """A process that the project forked goes on: closing the pipes there closes none of the worker's."""
        if not self.is_in_fork:
            end(pipe_closed)


def end(code: int | None = None) -> None:
    """Ends this process and all that it started: with an exit code for the service, or with a signal if that is gone."""
    try:
        if os.name != "nt":
            for pid in started():
                with contextlib.suppress(OSError):  # It has just ended.
                    os.kill(pid, signal.SIGKILL)
        elif code is None:
            subprocess.run(["taskkill", "/pid", str(os.getpid()), "/t", "/f"], capture_output=True)
    finally:
        if os.name != "nt" and code is None and os.getpgrp() == os.getpid():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(code or 1)


def started() -> list[int]:
    """The processes below this one. Browsers and servers of MCP, for example, are in groups of their own."""
    parents = dict(processes())
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def processes() -> Iterator[tuple[int, int]]:
    if os.path.isdir("/proc/self"):  # A small container may have no ps.
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", errors="replace") as file:  # It may just end.
                # The name, in brackets, may have any characters.
                yield int(name), int(file.read().rpartition(")")[2].split()[1])
        return
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, timeout=5).stdout
    for line in listed.splitlines():
        pid, parent = line.split()
        yield int(pid), int(parent)


@dataclass
class Watch:
    """What tells the methods of the flow that runs from those of flows inside it."""

    flow: object = None
    # The method whose pause is answered: crewAI reports its end, and since some version its start, once more.
    resumed: str | None = None


def listen(reply: Callable[..., None], watch: Watch) -> None:
    """Reports steps and events: only those that are named here, and of each what is small and public.

    The listeners are coroutines: crewAI's event bus runs these in the order of the events, and functions on a pool of threads.
    """
    from crewai import events

    async def on_step(source: object, event: Any) -> None:
        tool = getattr(event, "tool_name", None)
        given = text_of(event.tool_args)[:longest_step] if tool else None
        reply("step", tool=tool, toolInput=given, result=str(event.output)[:longest_step])

    async def on_event(source: object, event: Any) -> None:
        if event.type in reported_in_flows and not watch.flow:
            return
        found = described(event)
        if event.type == "agent_logs_execution" and found.get("thought") in (None, no_thought):
            return
        if source is not watch.flow or not event.type.startswith("method_execution_"):
            reply("event", event=found)
        elif event.method_name != watch.resumed:
            output = text_of(getattr(event, "result", None))
            reply("event", event={**found, "output": output[:longest_text]}, method={"name": event.method_name, "output": output})
        elif event.type != "method_execution_started":
            watch.resumed = None

    names = [name + ending for name in reported for ending in endings]
    for listener, kinds in ((on_step, ["ToolUsageFinished", "AgentExecutionCompleted"]), (on_event, names)):
        # Versions differ in their events.
        for kind in filter(None, (getattr(events, f"{name}Event", None) for name in kinds)):
            events.crewai_event_bus.on(kind)(listener)


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
        text = text_of(message.get("content"))[:left]
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


def text_of(value: Any) -> str:
    """Of an output or a result, which may be anything."""
    if value is None or isinstance(value, str):
        return value or ""
    # The output of a crew, and what a person gave feedback about.
    for member in ("raw", "output"):
        if hasattr(value, member):
            return text_of(getattr(value, member))
    try:
        return value.model_dump_json() if hasattr(value, "model_dump_json") else json.dumps(value, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)
