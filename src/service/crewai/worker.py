"""Runs attempts at the tasks of a crewAI project, or the parts of a flow, for Crewdeck's crew service, in the project's own Python.

One JSON object a line. Standard input brings commands, standard output takes replies; what the project prints goes to
standard error. When standard input closes, the worker and all that it started end.

    before any command, once crewAI is imported
        {"type": "ready", "crewai": "its version", "python": "its version"}
    {"do": "open", "folder": "...", "source": "...", "file": "src/poem/crew.py" or "crew.jsonc", "crewClass": "Poem" or null,
     "storage": "..." or null, "isFlow": false, "environment": {"NAME": "value"}}
        {"type": "opened", "crew": {...}, "remarks": [...]}; "crewClass" chooses one of several in a file
    {"do": "inputs"} after "open"
        {"type": "inputs", "inputs": ["..."]}
    {"do": "attempt", "task": 0, "inputs": {...}, "earlier": ["...", null], "notes": ["..."], "isFirst": true, "isLast": false,
     "isReviewed": false, "refusal": null or that of the task's last attempt, "draft": null or the approved one}
        {"type": "step", ...} and {"type": "event", "event": {...}} any number of times, then
        {"type": "output", "output": "...", "inputs": {...}, "usage": {...}}, or the same with "isSkipped": true, with "draft": {...}
        before a review, or with "refusal": {...} if a guardrail refuses the approved draft
    {"do": "flow", "id": "...", "store": "a folder", "inputs": {...},
     "answer": null or {"requestedAt": "...", "feedback": "...", "outcomes": ["..."] or null}}
        {"type": "step", ...} and {"type": "event", "event": {...}} any number of times; events of the flow's own methods
        also have "method": "..." and "output": "..."; then
        {"type": "output", "output": "...", "usage": {...}}, or the same with "pause": {...}
    all may also answer {"type": "failed", "message": "...", "frames": ["..."]}

Only public fields of crewAI are used here (tried with 1.0.0 to 1.15.30; flows with 1.15.0 and 1.15.30).
"""

import enum
import gc
import hashlib
import importlib
import importlib.util
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import traceback

import crewdeck_review

for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
# Without an answer crewAI asks on the console whether to share traces.
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

oldest = {"python": (3, 10), "crewai": (1, 0)}
# Characters of a step's texts, which are shown, not used.
longest_step = 1_000_000
# Characters of an event's texts.
longest_text = 2_000
# Bytes of a `.env`: the service hides the values of no larger one (environment.ts).
largest_environment = 1024 * 1024
# By the first words of the classes of crewAI's events: parts of streamed text come by the thousand.
unreported_events = ("TaskEvaluation", "LLMStreamChunk", "LLMThinkingChunk", "FlowCreated")
# The service itself reports a crew and its tasks, and needs a task's start only to know what is part of it; not those in a flow.
crew_events = ("Crew", "TaskCompleted", "TaskFailed")
event_members = (
    "type", "event_id", "parent_event_id", "started_event_id", "task_name", "agent_role", "flow_name", "crew_name", "method_name",
    "model", "call_type",
    "usage", "finish_reason", "tool_name", "tool_args", "from_cache", "query", "output", "response", "error",
)

own_id = os.getpid()
# The exit code of a worker whose project closed a pipe to the service (worker.ts).
pipe_closed = 70
# Set by `main`: what replies are written to, and the `os.stat` of its pipe.
replies = reply_pipe = None
lock = threading.Lock()


def reply(kind, **members):
    # Lone surrogates are valid in a Python string, and only escapes carry them.
    line = json.dumps({"type": kind, **members}, ensure_ascii=True, default=str)
    with lock:
        try:
            # After the project closed the pipe, a file that it opened may have its number.
            if os.path.samestat(os.fstat(replies.fileno()), reply_pipe):
                replies.write(line + "\n")
                replies.flush()
            else:
                end_for_closed_pipe()
        except BrokenPipeError:  # The service has ended.
            end()
        except OSError:
            end_for_closed_pipe()


def end_for_closed_pipe():
    """Ends the worker and what it started, with the exit code that says why; a signal, as in `end`, would not.

    A process that the project forked goes on: closing the pipes there closes none of the worker's.
    """
    if os.getpid() == own_id:
        try:
            end_started()
        finally:
            os._exit(pipe_closed)


def end():
    """Ends this process and all that it started."""
    try:
        if os.name == "nt":
            subprocess.run(["taskkill", "/pid", str(os.getpid()), "/t", "/f"], capture_output=True)
        else:
            end_started()
    finally:
        if os.name != "nt" and os.getpgrp() == os.getpid():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)


def end_started():
    for pid in started() if os.name != "nt" else ():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:  # It has just ended.
            pass


def started():
    """The processes below this one. Browsers and servers of MCP, for example, are in groups of their own."""
    parents = dict(processes())
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def processes():
    """Each process of this machine with its parent."""
    if os.path.isdir("/proc/self"):  # A small container may have no ps.
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", errors="replace") as file:
                    # The name, in brackets, may have any characters.
                    yield int(name), int(file.read().rpartition(")")[2].split()[1])
            except OSError:  # It has just ended.
                pass
        return
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, timeout=5).stdout
    for line in listed.splitlines():
        pid, parent = line.split()
        yield int(pid), int(parent)


def read_commands(lines, pipe, commands):
    try:
        for line in lines:
            commands.put(json.loads(line))
        if os.path.samestat(os.fstat(lines.fileno()), pipe):
            end()
    except (OSError, ValueError):
        pass
    # The project closed it, or another file has its number, such as one that is opened to end for the other pipe.
    end_for_closed_pipe()


class Failure(Exception):
    """What a person can mend in the project; its message is the whole answer."""


def frames_of(error, folders):
    """The project's own stack frames, the innermost last; those of the cause where the error has none."""
    frames, seen = [], set()
    # An error may be its own cause: crewAI raises it "from" itself if an agent's model has no key.
    while error and not frames and id(error) not in seen:
        seen.add(id(error))
        for frame in traceback.extract_tb(error.__traceback__):
            where = place_in(folders, frame.filename)
            if where:
                frames.append(f"{where}:{frame.lineno} in {frame.name}: {frame.line or ''}".removesuffix(": "))
        # Python can't have a frame in a file that it can't read.
        if isinstance(error, SyntaxError) and place_in(folders, error.filename or ""):
            frames.append(f"{place_in(folders, error.filename)}:{error.lineno}: {(error.text or '').strip()}".removesuffix(": "))
        error = error.__cause__ or error.__context__
    return frames


def place_in(folders, filename):
    """The path of a file inside the project; None for other people's code."""
    path = os.path.realpath(filename)
    if filename.startswith("<") or "site-packages" in path or path == os.path.realpath(__file__):
        return None
    for folder in map(os.path.realpath, folders):
        if path.startswith(folder + os.sep):
            return os.path.relpath(path, folder).replace(os.sep, "/")
    return None


def place_knowledge():
    """crewAI chose the folder of its knowledge when it was imported, before it was known whose it is. It may lack Chroma."""
    room = "crewai.rag.chromadb."
    constants = sys.modules.get(room + "constants")
    loaded = [module for name, module in sys.modules.items() if name.startswith(room)] if constants else []
    for module in loaded:
        if hasattr(module, "DEFAULT_STORAGE_PATH"):
            module.DEFAULT_STORAGE_PATH = constants.db_storage_path()


class Project:
    """The project in `folder`, imported from `source`: the same folder, or a copy of its files from before they were edited."""

    def __init__(self, folder, source, file, crew_class, storage, is_flow, environment):
        self.folder = folder
        self.source = source
        self.file = file
        self.crew_class = crew_class
        self.is_flow = is_flow
        # crewAI keeps what a crew's methods returned by the address of the object, which a new one may get.
        self.made = []
        os.chdir(folder)
        self.root, self.module_name = place_of_module(folder, file)
        # A copy lacks large files, and those that Python doesn't read as text.
        for path in (self.root, folder, source, os.path.join(source, "src")):
            if os.path.isdir(path):
                sys.path.insert(0, path)
        self.environment = environment
        self.read_environment()
        if storage:
            os.environ["CREWAI_STORAGE_DIR"] = storage
        place_knowledge()

    @property
    def is_declarative(self):
        return not self.file.endswith(".py")

    def read_environment(self):
        """As `crewai run` does: in a declarative project the file wins over the environment."""
        import crewai
        from dotenv import load_dotenv

        own = os.path.join(self.folder, ".env")
        # The one that crewAI reads when it is imported.
        above = (os.path.join(folder, ".env") for folder in pathlib.Path(crewai.__file__).parents)
        for file, override in ((own, self.is_declarative), (next(filter(os.path.isfile, above), os.devnull), False)):
            if os.path.isfile(file):
                if os.path.getsize(file) > largest_environment:
                    raise Failure(f"{file} is larger than 1 MB, so that its values could not be hidden in the log. Keep only variables in it.")
                load_dotenv(file, override=override)
        os.environ.update(self.environment)
        # crewAI prefers this name, and would send the key to its host.
        if "OPENAI_BASE_URL" in self.environment and "BASE_URL" in os.environ:
            os.environ["BASE_URL"] = self.environment["OPENAI_BASE_URL"]

    def load(self):
        """A fresh crew: an attempt changes it. Of a flow, what makes one."""
        if self.is_flow:
            return DeclaredFlow(self.declaration()) if self.is_declarative else flow_in(self.module(), self.crew_class)
        if self.is_declarative:
            try:
                from crewai.project.crew_loader import load_crew
            except ImportError:
                raise Failure(
                    f"crewAI {version()} can't read {self.file}: declarative crews need crewAI 1.15.0 or newer."
                ) from None
            return load_crew(os.path.join(self.source, self.file))[0]
        return self.build(self.module())

    def declaration(self):
        try:
            from crewai.flow.flow_definition import FlowDefinition
        except ImportError:
            raise Failure(f"crewAI {version()} can't read {self.file}: declarative flows need crewAI 1.15.0 or newer.") from None
        return FlowDefinition.from_declaration(path=os.path.join(self.source, self.file))

    def module(self):
        inside = os.path.relpath(self.folder, self.root)
        with NoKickoff([self.source, self.folder, self.root]):
            if self.source != self.folder and not inside.startswith("."):
                import_package(inside.replace(os.sep, "."), self.source)
            return importlib.import_module(self.module_name)

    def build(self, module):
        from crewai import Crew

        own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
        makers = {name: value for name, value in own.items() if getattr(value, "is_crew_class", False)}
        # The same object every time; a copy keeps one attempt from another.
        crews = {name: value.copy for name, value in vars(module).items() if isinstance(value, Crew)}
        functions = {name: value for name, value in own.items() if returns_crew(value)}
        if self.crew_class is not None:
            found = {name: value for name, value in {**functions, **crews, **makers}.items() if name == self.crew_class}
            if not found:
                raise Failure(f"{self.file} defines no crew with the name {self.crew_class}.")
        else:
            found = makers or crews or functions
        if not found:
            raise Failure(f"{self.file} defines no crew: it needs a class with @CrewBase, a Crew, or a function that returns one.")
        if len(found) > 1:
            raise Failure(f"{self.file} defines several crews: {', '.join(found)}. Choose one of them.")
        ((name, make),) = found.items()
        if name not in makers:
            return make()
        method = crew_method(make)
        if method is None:
            raise Failure(
                f"{self.file}: the class {name} has @CrewBase, but no method with @crew. Add one that returns the crew: "
                "return Crew(agents=self.agents, tasks=self.tasks)."
            )
        self.made.append(make())
        return getattr(self.made[-1], method)()


def place_of_module(folder, file):
    """Where Python imports the file from, and under which name: `src`, the project's folder, or the first folder above that is no package."""
    path = os.path.join(folder, file)
    base = os.path.join(folder, "src") if file.startswith("src/") else folder
    root = os.path.dirname(path)
    while os.path.isfile(os.path.join(root, "__init__.py")) and os.path.basename(root).isidentifier():
        root = os.path.dirname(root)
    # A folder between without __init__.py is a part of the package, too.
    if (root + os.sep).startswith(base + os.sep):
        root = base
    return root, os.path.splitext(os.path.relpath(path, root))[0].replace(os.sep, ".")


def import_package(name, folder):
    """Imports the package whose files are in `folder`, which has another name."""
    above, _, own = name.rpartition(".")
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if name in sys.modules or spec is None:
        return
    package = sys.modules[name] = importlib.util.module_from_spec(spec)
    if above:
        setattr(importlib.import_module(above), own, package)
    spec.loader.exec_module(package)


def returns_crew(value):
    from crewai import Crew

    return callable(value) and getattr(value, "__annotations__", {}).get("return") in (Crew, "Crew")


def crew_method(cls):
    """The name of the method with @crew, which crewAI doesn't mark."""
    for name in dir(cls):
        made_by = getattr(getattr(getattr(cls, name), "__wrapped__", None), "__globals__", {})
        if made_by.get("__name__") == "crewai.project.annotations":
            return name
    return "crew" if hasattr(cls, "crew") else None


class Kickoff(BaseException):
    """What ends an import that starts a crew; a project may catch an `Exception`."""


class NoKickoff:
    """While a project is imported, nothing of crewAI runs: it would cost money without a kickoff."""

    def __init__(self, folders):
        self.folders = folders
        self.problem = None

    def __enter__(self):
        from crewai import Agent, Crew, Flow

        names = ("kickoff", "kickoff_async", "akickoff", "replay")
        self.kept = [
            (base, name, vars(base)[name]) for each in (Agent, Crew, Flow) for base in each.__mro__ for name in names if name in vars(base)
        ]
        for base, name, _ in self.kept:
            setattr(base, name, self.refuse(base.__name__))

    def __exit__(self, kind, error, frames):
        for base, name, method in self.kept:
            setattr(base, name, method)
        if self.problem:
            raise Failure(self.problem) from None

    def refuse(self, what):
        def method(*_, **__):
            self.problem = self.problem or self.explain(what)
            raise Kickoff(self.problem)

        return method

    def explain(self, what):
        frames = [frame for frame in traceback.extract_stack() if place_in(self.folders, frame.filename)]
        # The line that runs when the module is imported.
        at = next((frame for frame in reversed(frames) if frame.name == "<module>"), None)
        where = f"{place_in(self.folders, at.filename)}:{at.lineno}" if at else "The project"
        line = f" ({at.line})" if at and at.line else ""
        return (
            f"{where} starts {articles.get(what, 'an agent')} when the file is imported{line}. Crewdeck stopped it before it could call a model. "
            'Put this line below: if __name__ == "__main__":'
        )


articles = {"Crew": "a crew", "Flow": "a flow"}


class DeclaredFlow:
    """Makes flows from a declaration, as a class of a flow does."""

    def __init__(self, definition):
        self.definition = definition

    def __call__(self, **members):
        from crewai.flow.flow import Flow

        return Flow.from_declaration(contents=self.definition, **members)

    def from_pending(self, flow_id, store):
        from crewai.flow.flow import Flow

        return Flow.from_pending(flow_id, store, definition=self.definition)

    def flow_definition(self):
        return self.definition


def flow_in(module, wanted):
    """The project's flow: the one with this name, the only one, or the one that the function `kickoff` starts."""
    from crewai.flow.flow import Flow

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


def version():
    from importlib.metadata import version as of

    return of("crewai")


def names_of(tasks):
    """A name for each task that no other task has: crewAI runs tasks with the same name."""
    given = [task.name or f"task_{index + 1}" for index, task in enumerate(tasks)]
    names = []
    for name in given:
        unique, number = name, 1
        while unique in names or (number > 1 and unique in given):
            number += 1
            unique = f"{name}_{number}"
        names.append(unique)
    return names


def is_unspecified(context):
    from crewai.utilities.constants import NOT_SPECIFIED

    return context is NOT_SPECIFIED


def is_conditional(task):
    return hasattr(task, "should_execute")


def shape_of(model):
    try:
        return model.model_json_schema()
    except Exception:  # There is no model, or one that JSON can't describe.
        return getattr(model, "__name__", None)


def extras_of(task):
    """A hash of what else decides a task's output: its tools and output models."""
    tools = [*(task.tools or []), *(getattr(task.agent, "tools", None) or [])]
    models = [getattr(task, name, None) for name in ("output_pydantic", "output_json", "response_model")]
    parts = [
        [[tool.name, tool.description, shape_of(getattr(tool, "args_schema", None))] for tool in tools],
        [shape_of(model) for model in models],
    ]
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "replace")).hexdigest()


def describe(crew):
    tasks = list(crew.tasks)
    names = names_of(tasks)
    agents = list(crew.agents)
    for task in tasks:
        if task.agent is not None and not any(task.agent is agent for agent in agents):
            agents.append(task.agent)

    def context(task):
        if is_unspecified(task.context):
            return None
        return [names[index] for index, each in enumerate(tasks) for wanted in task.context or [] if wanted is each]

    return {
        "agents": [{"role": agent.role, "goal": agent.goal, "backstory": agent.backstory} for agent in agents],
        "tasks": [
            {
                "name": name,
                "description": task.description,
                "expectedOutput": task.expected_output,
                "agent": next((index for index, agent in enumerate(agents) if agent is task.agent), None),
                "context": context(task),
                "humanInput": bool(task.human_input),
                "extras": extras_of(task),
            }
            for name, task in zip(names, tasks)
        ],
    }


def describe_flow(flow):
    try:
        from crewai.flow.async_feedback import HumanFeedbackPending  # noqa: F401

        methods = flow.flow_definition().methods
    except (ImportError, AttributeError):
        raise Failure(f"crewAI {version()} can't pause a flow for a person. Flows need crewAI 1.15 or newer.") from None
    tasks = [
        {"name": name, "description": getattr(method.human_feedback, "message", ""), "humanInput": method.human_feedback is not None}
        for name, method in methods.items()
    ]
    return {"agents": [], "tasks": tasks}


# What crewAI fills in (`_VARIABLE_PATTERN` in `crewai.utilities.string_utils`, 1.0 to 1.15). It fails without a value.
filled = re.compile(r"\{([A-Za-z_][A-Za-z0-9_\-]*)}")


def inputs_of(crew):
    """What a deployed crew asks for, and what crewAI fails without, in the order of the texts."""
    agents = [text for agent in crew.agents for text in (agent.role, agent.goal, agent.backstory)]
    tasks = [text for task in crew.tasks for text in (task.description, task.expected_output, task.output_file)]
    texts = "\n".join(text or "" for text in agents + tasks)
    names = crew.fetch_inputs() | set(filled.findall(texts))
    return sorted(names, key=lambda name: (texts.find(f"{{{name}}}"), name))


def inputs_of_flow(flow):
    """The members of its state, without the one that belongs to crewAI."""
    state = flow.state
    return [name for name in (state if isinstance(state, dict) else type(state).model_fields) if name != "id"]


def remarks_on(crew):
    """What differs from a deployed crew, which runs all tasks in one kickoff."""
    remarks = []
    if getattr(crew, "planning", False):
        remarks.append("Planning is done for each task by itself.")
    parallel = [name for name, task in zip(names_of(crew.tasks), crew.tasks) if task.async_execution]
    if parallel:
        remarks.append(f"Asynchronous tasks run one after the other: {', '.join(parallel)}.")
    return remarks


def with_output(task, raw):
    """Gives a task the output that it had in an earlier attempt, with its output model where it has one."""
    from crewai.tasks.task_output import TaskOutput

    members = {}
    model = getattr(task, "output_pydantic", None)
    json_model = getattr(task, "output_json", None)
    try:
        if model:
            members["pydantic"] = model.model_validate_json(raw)
        elif json_model:
            members["json_dict"] = json.loads(raw)
    except ValueError:
        # A person may have edited the output; the text is kept.
        members = {}
    task.output = TaskOutput(
        name=task.name or task.description,
        description=task.description,
        expected_output=task.expected_output,
        raw=raw,
        agent=task.agent.role if task.agent else "",
        **members,
    )


def note_task(note, agent):
    from crewai import Task
    from crewai.tasks.task_output import TaskOutput

    task = Task(description="Feedback of a person", expected_output="Feedback", agent=agent)
    task.output = TaskOutput(description="Feedback of a person", raw=note, agent="Person")
    return task


def unconditional(task):
    """The same task without its condition, which is met: crewAI refuses a crew of conditional tasks only."""
    from crewai import Task

    return Task(**{name: getattr(task, name) for name in Task.model_fields.keys() - {"id"}})


def result_of_skipping(crew, task, earlier):
    """What the hooks after the kickoff return if the last task is skipped. Without hooks the task has no output."""
    from crewai import CrewOutput

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


def adding(earlier):
    """Gives the hooks after the kickoff the outputs of all tasks, of which this kickoff ran the last."""

    def hook(result):
        result.tasks_output = [*(task.output for task in earlier), *result.tasks_output]
        return result

    return hook


def text_of(result):
    """Of what a hook returned, which may be anything."""
    raw = getattr(result, "raw", None)
    return str(result) if raw is None else raw


def attempt(project, command):
    refuse_inner_reviews()
    crew = project.load()
    used_before = usage_of(crew)
    tasks = list(crew.tasks)
    index = command["task"]
    refusal, draft = command["refusal"], command["draft"]
    target = tasks[index]
    earlier = []
    for before, raw in enumerate(command["earlier"]):
        if raw is not None:
            with_output(tasks[before], raw)
            earlier.append(tasks[before])
    inputs = dict(command["inputs"])
    if command["isFirst"]:
        # They may return other inputs, which are those of all later tasks.
        for callback in crew.before_kickoff_callbacks:
            inputs = callback(inputs) or inputs
    crew.before_kickoff_callbacks = []
    if is_conditional(target):
        if earlier and not target.should_execute(earlier[-1].output):
            output = result_of_skipping(crew, target, earlier) if command["isLast"] else ""
            return {"output": output, "isSkipped": True, "inputs": inputs}
        target = unconditional(target)
    context = earlier if is_unspecified(target.context) else list(target.context or [])
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
    # Older versions don't have them.
    for option in ("tracing", "stream"):
        if hasattr(crew, option):
            setattr(crew, option, False)
    crew.after_kickoff_callbacks = [adding(earlier), *crew.after_kickoff_callbacks] if command["isLast"] else []

    def reply_with(output, **members):
        used = {name: count - used_before[name] for name, count in usage_of(crew).items()}
        return {"output": output, "inputs": inputs, "usage": used, **members}

    if draft:
        result, refusal = crewdeck_review.finish(crew, target, inputs, draft, refusal)
        if refusal:
            return reply_with("", refusal=refusal)
    elif command["isReviewed"]:
        draft = crewdeck_review.draft_of(crew, target, inputs, NoReviewer())
        return reply_with(draft["output"], draft=draft)
    else:
        result = crew.kickoff(inputs=inputs)
    # Hooks after the kickoff may return another result.
    return reply_with((text_of(result) if command["isLast"] else "") or target.output.raw)


def usage_of(crew):
    """Of all its models, which other crews may share."""
    usage = crew.calculate_usage_metrics()
    return {name: getattr(usage, name) for name in ("total_tokens", "prompt_tokens", "completion_tokens")}


def flow_part(project, command):
    """Runs a flow from its start, or from the pause that is answered, to its next pause or its end."""
    from crewai.flow.async_feedback import HumanFeedbackPending
    from crewai.flow.flow_config import flow_config

    make = project.load()
    store = flow_store(command["store"])
    answer = command["answer"]
    pending = store.load_pending_feedback(command["id"])
    state, context = pending or (None, None)
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
    for option in ("tracing", "stream"):
        if hasattr(flow, option):
            setattr(flow, option, False)
    flow_config.hitl_provider = Person(flow)
    flow_config.input_provider = Nobody()
    refuse_inner_reviews()
    watch.flow, watch.resumed = flow, context.method_name if answer else None
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
        return {"output": pause["output"], "pause": {**pause, "message": f"{context.message}\n\n{unclear}"}, "usage": usage}
    if isinstance(result, HumanFeedbackPending):
        return {"output": text_of_value(result.context.method_output), "pause": pause_of(result.context, flow.state), "usage": usage}
    return {"output": text_of_value(result), "usage": usage}


def flow_store(folder):
    """crewAI's own persistence. It keeps a pause that was answered, so that what follows can run again after a kill."""
    from crewai.flow.persistence import SQLiteFlowPersistence

    class Store(SQLiteFlowPersistence):
        def clear_pending_feedback(self, flow_uuid):
            pass

    os.makedirs(folder, exist_ok=True)
    return Store(os.path.join(folder, "flow_states.db"))


class Person:
    """Stands for whoever gives feedback later."""

    def __init__(self, flow):
        self.flow = flow

    def request_feedback(self, context, flow):
        from crewai.flow.async_feedback import HumanFeedbackPending

        if flow is not self.flow:
            raise Failure(
                f"{type(flow).__name__}.{context.method_name} waits for a person inside another flow, which can't be continued. "
                "Let a method of the outer flow wait."
            )
        raise HumanFeedbackPending(context=context)


class Nobody:
    """Stands for a console, which the service has none of."""

    def request_input(self, message, flow, metadata=None):
        print(f"Flow.ask() gets None here, because nobody reads the console: {message}")


def refuse_inner_reviews():
    """Otherwise such a task runs three times: crewAI repeats what fails at the end of the console."""
    try:
        from crewai.core.providers.human_input import set_provider
    except ImportError:  # Older versions take no provider.
        return
    set_provider(NoReviewer())


class NoReviewer:
    """Refuses a task that would ask on the console, as of a crew that a flow or a tool starts; since some version, before it calls a model."""

    def setup_messages(self, context):
        if context.task and context.task.human_input:
            self.handle_feedback(None, context)
        return False

    def post_setup_messages(self, context):
        pass

    def handle_feedback(self, answer, context):
        task = context.task
        raise Failure(
            f'The task "{task.name or task.description}" has human_input, and nobody reads the console of a crew that a flow, '
            "a tool or a callback starts. Remove human_input. A method of a flow can ask: @human_feedback."
        )

    async def handle_feedback_async(self, answer, context):
        self.handle_feedback(answer, context)


def choose(context, outcomes):
    """Lets crewAI choose only between these options, and call no model for a single one."""
    from crewai.llms.base_llm import BaseLLM

    if not (context.emit and outcomes):
        return
    context.emit = outcomes
    context.default_outcome = context.default_outcome if context.default_outcome in outcomes else None
    if len(outcomes) > 1:
        return
    llm = context.llm

    class Chosen(BaseLLM):
        def call(self, *args, **kwargs):
            # Lessons from the feedback are for the flow's own model.
            context.llm = llm
            return outcomes[0]

    context.llm = Chosen(model="chosen")


def pause_of(context, state):
    whole = context.to_dict()
    return {
        "method": context.method_name,
        "output": text_of_value(context.method_output),
        "message": context.message,
        "options": context.emit,
        "defaultOption": context.default_outcome,
        "metadata": plain(whole["metadata"]),
        "state": plain(state),
        "requestedAt": context.requested_at.isoformat(),
    }


def plain(value):
    dump = getattr(value, "model_dump", None)
    try:
        return json.loads(json.dumps(dump(mode="json") if dump else value, default=str, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return {}


def text_of_value(value):
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


class Watch:
    """Tells the flow's own methods from those of flows inside it."""

    def __init__(self):
        self.flow = None
        # The method whose pause is answered: crewAI reports its end, and since some version its start, once more.
        self.resumed = None
        self.again = set()
        self.known = set()

    def method_of(self, source, event):
        """Its name, if the event is about a method of the flow; "" for one that is reported once more."""
        if source is not self.flow or not event.type.startswith("method_execution_"):
            return None
        name = event.method_name
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


watch = Watch()


# The listeners are coroutines: crewAI's event bus runs these in the order of the events, and functions on a pool of threads.
def listen_to_steps():
    from crewai import events

    async def on_tool(source, event):
        arguments = event.tool_args if isinstance(event.tool_args, str) else json.dumps(event.tool_args, default=str)
        reply("step", tool=event.tool_name, toolInput=arguments[:longest_step], result=str(event.output)[:longest_step])

    async def on_answer(source, event):
        reply("step", tool=None, toolInput=None, result=str(event.output)[:longest_step])

    events.crewai_event_bus.on(events.ToolUsageFinishedEvent)(on_tool)
    events.crewai_event_bus.on(events.AgentExecutionCompletedEvent)(on_answer)


def listen_to_events():
    from crewai import events

    async def on_event(source, event):
        if watch.flow is None:
            if not type(event).__name__.startswith(crew_events):
                reply("event", event=described(event))
            return
        method = watch.method_of(source, event)
        if method:
            output = text_of_value(getattr(event, "result", None))
            reply("event", event={**described(event), "output": output[:longest_text]}, method=method, output=output)
        elif method is None:
            reply("event", event=described(event))

    # Versions differ in their events, and load them when they are asked for.
    for name in events.__all__:
        if not name.startswith(unreported_events) and hasattr(getattr(events, name, None), "model_fields"):
            events.crewai_event_bus.on(getattr(events, name))(on_event)


def described(event):
    """What is small and public of an event: some hold whole agents, tasks and prompts."""
    members = {name: short(getattr(event, name, None)) for name in event_members}
    members["timestamp"] = event.timestamp.isoformat()
    # Of a crew or a task in a flow.
    raw = getattr(getattr(event, "output", None), "raw", None)
    members["output"] = members["output"] if raw is None else short(raw)
    # These have no role of their own.
    members["agent_role"] = members["agent_role"] or short(getattr(getattr(event, "agent", None), "role", None))
    members["thought"] = short(getattr(getattr(event, "formatted_answer", None), "thought", None))
    if event.type == "llm_call_started":  # The end has the same once more.
        members["messages"] = last_messages(event.messages)
    return {name: value for name, value in members.items() if value not in (None, "")}


def last_messages(messages):
    """The end of a prompt: its beginning, which says who the agent is, is the same for each of the agent's calls."""
    if not isinstance(messages, list):
        return short(messages)
    kept, left = [], longest_text
    for message in reversed(messages):
        if left <= 0 or not isinstance(message, dict):
            break
        text = text_of_value(message.get("content"))[:left]
        left -= len(text)
        kept.insert(0, {"role": short(message.get("role")), "content": text})
    return kept


def short(value):
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


def flush_events():
    """Waits for the steps and events of an attempt: newer versions report them on other threads."""
    from crewai.events import crewai_event_bus

    if hasattr(crewai_event_bus, "flush"):
        crewai_event_bus.flush()


def unsuitable():
    """Why this Python can't run crews; None if it can."""
    python = sys.version.split()[0]
    if sys.version_info < oldest["python"]:
        return f"{sys.executable} is Python {python}, and crewAI needs Python 3.10 or newer. Choose another interpreter for the project."
    from importlib.metadata import PackageNotFoundError

    try:
        found = version()
    except PackageNotFoundError as error:
        return f'{sys.executable} has no crewAI ({error}). Install it in the project: "uv sync", or "pip install crewai".'
    if tuple(int(part) for part in found.split(".")[:2]) < oldest["crewai"]:
        return (
            f"{sys.executable} has crewAI {found}, and Crewdeck runs crewAI 1.0 or newer. "
            'Upgrade it in the project: "uv add crewai --upgrade-package crewai", or "pip install --upgrade crewai".'
        )
    try:
        import_crewai()
    except Exception as error:
        return (
            f"{sys.executable} can't load crewAI {found}. {describe_error(error)}\n"
            'Install it again in the project: "uv sync --reinstall", or "pip install --force-reinstall crewai".'
        )
    return None


def import_crewai():
    """Imports crewAI without the project's `.env`, which crewAI then reads, and which may change until a project is opened."""
    import dotenv

    load = dotenv.load_dotenv
    dotenv.load_dotenv = lambda *_, **__: False
    # The import makes hardly any garbage; looking for it takes a tenth of the time.
    gc.disable()
    try:
        import crewai.project  # noqa: F401
    finally:
        dotenv.load_dotenv = load
        gc.freeze()
        gc.enable()


def describe_error(error):
    if isinstance(error, SystemExit):
        return f"The project called sys.exit({'' if error.code is None else repr(error.code)})."
    causes = [error]
    # crewAI raises some errors from themselves.
    while causes[-1].__cause__ and causes[-1].__cause__ not in causes:
        causes.append(causes[-1].__cause__)
    cause = causes[-1]
    reason = "" if str(cause) in str(error) else f" ({type(cause).__name__}: {cause})"
    return f"{type(error).__name__}: {error}{reason}"


def run(commands):
    problem = unsuitable()
    if problem:
        reply("failed", message=problem, frames=[])
        return
    listen_to_steps()
    listen_to_events()
    reply("ready", crewai=version(), python=sys.version.split()[0])
    project = None
    folders = []
    while True:
        command = commands.get()
        try:
            if command["do"] == "open":
                folders = [command["source"], command["folder"]]
                project = Project(
                    *(command[name] for name in ("folder", "source", "file", "crewClass", "storage", "isFlow", "environment"))
                )
                crew = project.load()
                if project.is_flow:
                    reply("opened", crew=describe_flow(crew), remarks=[])
                else:
                    reply("opened", crew=describe(crew), remarks=remarks_on(crew))
            elif command["do"] == "inputs":
                reply("inputs", inputs=inputs_of_flow(crew()) if project.is_flow else inputs_of(crew))
            else:
                try:
                    result = flow_part(project, command) if command["do"] == "flow" else attempt(project, command)
                finally:
                    # A process that it forked has no threads to wait for.
                    if os.getpid() == own_id:
                        flush_events()
                reply("output", **result)
        except Failure as error:
            reply("failed", message=str(error), frames=[])
        except BaseException as error:  # A project may call sys.exit.
            # A process that it forked isn't the worker. At its end, Python would wait for threads that only the worker has.
            if os.getpid() != own_id:
                os._exit(1)
            reply("failed", message=describe_error(error), frames=frames_of(error, folders))


def main():
    """Keeps standard input and output for commands and replies: the project reads nothing, and prints to standard error."""
    global replies, reply_pipe
    lines = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    reply_pipe = os.fstat(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    received = queue.Queue()
    threading.Thread(target=read_commands, args=(lines, os.fstat(lines.fileno()), received), daemon=True).start()
    run(received)


if __name__ == "__main__":
    main()
