"""Imports a project, and makes and describes the crew that it defines; and says where something in it is wrong."""

import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import pathlib
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from importlib.metadata import version
from types import ModuleType
from typing import Any, NoReturn

import crewai
import dotenv
from crewai import Agent, Crew, Flow, Task
from crewai.utilities.constants import NOT_SPECIFIED

from crewdeck_worker.protocol import Failure, ProjectCommand

own_folder = os.path.dirname(os.path.realpath(__file__))
# What crewAI fills in (`_VARIABLE_PATTERN` in `crewai.utilities.string_utils`, 1.0 to 1.15). It fails without a value.
filled = re.compile(r"\{([A-Za-z_][A-Za-z0-9_\-]*)}")


class Project:
    def __init__(self, command: ProjectCommand) -> None:
        self.folder, self.source, self.file = command["folder"], command["source"], command["file"]
        self.is_debugged = command["debugPort"] is not None
        self.crew_class, self.is_flow = command["crewClass"], command["isFlow"]
        self.is_declarative = not self.file.endswith(".py")
        # crewAI keeps what a crew's methods returned by the address of the object, which a new one may get.
        self.made: list[object] = []
        os.chdir(self.folder)
        self.root, self.module_name = place_of_module(self.folder, self.file)
        # A copy lacks large files, and those that Python doesn't read as text.
        for path in (self.root, self.folder, self.source, os.path.join(self.source, "src")):
            if os.path.isdir(path):
                sys.path.insert(0, path)
        self.variables = self.read_environment(command["environment"])
        if command["storage"]:
            os.environ["CREWAI_STORAGE_DIR"] = command["storage"]
        place_knowledge()

    def read_environment(self, given: dict[str, str]) -> list[tuple[str, str]]:
        """As `crewai run` does: in a declarative project the file wins over the environment. Returns what the files name."""
        own = os.path.join(self.folder, ".env")
        # The one that crewAI reads when it is imported.
        above = (os.path.join(folder, ".env") for folder in pathlib.Path(crewai.__file__).parents)
        found: list[tuple[str, str]] = []
        for file, override in ((own, self.is_declarative), (next(filter(os.path.isfile, above), os.devnull), False)):
            if os.path.isfile(file):
                values = dotenv.dotenv_values(file)
                dotenv.load_dotenv(file, override=override)
                found += ((name, value) for each in (values, os.environ) for name in values if (value := each.get(name)))
        os.environ.update(given)
        # crewAI prefers this name, and would send the key to its host.
        if "OPENAI_BASE_URL" in given and "BASE_URL" in os.environ:
            os.environ["BASE_URL"] = given["OPENAI_BASE_URL"]
        return found

    def crew(self) -> Crew:
        """A fresh one: an attempt changes it."""
        if not self.is_declarative:
            return self.crew_in(self.module())
        try:
            from crewai.project.crew_loader import load_crew
        except ImportError:
            raise Failure(f"crewAI {version('crewai')} can't read {self.file}: declarative crews need crewAI 1.15.0 or newer.") from None
        return load_crew(os.path.join(self.source, self.file))[0]

    def module(self) -> ModuleType:
        inside = os.path.relpath(self.folder, self.root)
        with no_kickoff([self.source, self.folder, self.root]):
            if self.source != self.folder and not inside.startswith("."):
                import_package(inside.replace(os.sep, "."), self.source)
            return importlib.import_module(self.module_name)

    def crew_in(self, module: ModuleType) -> Crew:
        own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
        classes = {name: value for name, value in own.items() if getattr(value, "is_crew_class", False)}
        # The same object every time; a copy keeps one attempt from another.
        crews = {name: value.copy for name, value in vars(module).items() if isinstance(value, Crew)}
        functions = {name: value for name, value in own.items() if returns_crew(value)}
        found = classes or crews or functions
        if self.crew_class is not None:
            found = {name: value for name, value in {**functions, **crews, **classes}.items() if name == self.crew_class}
            if not found:
                raise Failure(f"{self.file} defines no crew with the name {self.crew_class}.")
        if not found:
            raise Failure(f"{self.file} defines no crew: it needs a class with @CrewBase, a Crew, or a function that returns one.")
        if len(found) > 1:
            raise Failure(f"{self.file} defines several crews: {', '.join(found)}. Choose one of them.")
        ((name, make),) = found.items()
        if name not in classes:
            return make()
        method = crew_method(make)
        if method is None:
            raise Failure(
                f"{self.file}: the class {name} has @CrewBase, but no method with @crew. Add one that returns the crew: "
                "return Crew(agents=self.agents, tasks=self.tasks)."
            )
        self.made.append(make())
        return getattr(self.made[-1], method)()


def meet_debugger(port: int) -> None:
    """Before the project's code runs. A debugger that has left, as after a restart of the service, isn't waited for."""
    try:
        import debugpy
    except ImportError:
        raise Failure(
            f'{sys.executable} has no debugpy. Install it in the project: "uv add --dev debugpy", or "pip install debugpy".'
        ) from None
    try:
        debugpy.connect(("127.0.0.1", port))
    except OSError as error:
        print(f"No debugger waits for the crew any longer ({error}). It runs without one.")
    else:
        debugpy.wait_for_client()


def place_knowledge() -> None:
    """crewAI chose the folder of its knowledge when it was imported, before it was known whose it is. It may lack Chroma."""
    room = "crewai.rag.chromadb."
    constants = sys.modules.get(room + "constants")
    for module in [module for name, module in sys.modules.items() if name.startswith(room)]:
        if constants and hasattr(module, "DEFAULT_STORAGE_PATH"):
            setattr(module, "DEFAULT_STORAGE_PATH", constants.db_storage_path())


def place_of_module(folder: str, file: str) -> tuple[str, str]:
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


def import_package(name: str, folder: str) -> None:
    """Imports the package whose files are in `folder`, which has another name."""
    above, _, own = name.rpartition(".")
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    if name in sys.modules or spec is None or spec.loader is None:
        return
    package = sys.modules[name] = importlib.util.module_from_spec(spec)
    if above:
        setattr(importlib.import_module(above), own, package)
    spec.loader.exec_module(package)


def returns_crew(value: object) -> bool:
    return callable(value) and getattr(value, "__annotations__", {}).get("return") in (Crew, "Crew")


def crew_method(cls: type) -> str | None:
    """The name of the method with @crew, which crewAI doesn't mark."""
    for name in dir(cls):
        made_by = getattr(getattr(getattr(cls, name), "__wrapped__", None), "__globals__", {})
        if made_by.get("__name__") == "crewai.project.annotations":
            return name
    return "crew" if hasattr(cls, "crew") else None


class Kickoff(BaseException):
    """What ends an import that starts a crew; a project may catch an `Exception`."""


@contextlib.contextmanager
def no_kickoff(folders: list[str]) -> Iterator[None]:
    """While a project is imported, nothing of crewAI runs: it would cost money without a kickoff."""
    problems: list[str] = []

    def refuse(started: str) -> Callable[..., NoReturn]:
        def method(*_: Any, **__: Any) -> NoReturn:
            problems.append(explain(started, folders))
            raise Kickoff(problems[0])

        return method

    names = ("kickoff", "kickoff_async", "akickoff", "replay")
    kinds = {Agent: "an agent", Crew: "a crew", Flow: "a flow"}
    kept = [(base, name, vars(base)[name], kind) for kind in kinds for base in kind.__mro__ for name in names if name in vars(base)]
    for base, name, _, kind in kept:
        setattr(base, name, refuse(kinds[kind]))
    try:
        yield
    finally:
        for base, name, method, _ in kept:
            setattr(base, name, method)
        if problems:
            raise Failure(problems[0]) from None


def explain(started: str, folders: list[str]) -> str:
    frames = [frame for frame in traceback.extract_stack() if place_in(folders, frame.filename)]
    # The line that runs when the module is imported.
    at = next((frame for frame in reversed(frames) if frame.name == "<module>"), None)
    where = f"{place_in(folders, at.filename)}:{at.lineno}" if at else "The project"
    line = f" ({at.line})" if at and at.line else ""
    return (
        f"{where} starts {started} when the file is imported{line}. Crewdeck stopped it before it could call a model. "
        'Put this line below: if __name__ == "__main__":'
    )


def describe(crew: Crew) -> dict[str, Any]:
    """As the service's `CrewProject` has it."""
    names = names_of(crew.tasks)
    agents = {id(agent): agent for agent in (*crew.agents, *(task.agent for task in crew.tasks)) if agent}
    name_of = {key: f"agent_{number}" for number, key in enumerate(agents, 1)}

    def context(task: Task) -> list[str]:
        return [name for name, each in zip(names, crew.tasks) for wanted in task.context or [] if wanted is each]

    return {
        "agents": [
            {"name": name_of[key], "role": agent.role, "goal": agent.goal, "backstory": agent.backstory} for key, agent in agents.items()
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
            for name, task in zip(names, crew.tasks)
        ],
    }


def names_of(tasks: list[Task]) -> list[str]:
    """A name for each task that no other task has: crewAI runs tasks with the same name."""
    given = [task.name or f"task_{number}" for number, task in enumerate(tasks, 1)]
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
    parts = [
        [[tool.name, tool.description, shape_of(getattr(tool, "args_schema", None))] for tool in tools],
        [shape_of(getattr(task, name, None)) for name in ("output_pydantic", "output_json", "response_model")],
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
    parallel = [name for name, task in zip(names_of(crew.tasks), crew.tasks) if task.async_execution]
    return [
        *(["Planning is done for each task by itself."] if crew.planning else []),
        *([f"Asynchronous tasks run one after the other: {', '.join(parallel)}."] if parallel else []),
    ]


def frames_of(error: BaseException, folders: list[str]) -> list[str]:
    """The project's own stack frames, the innermost last; those of the cause where the error has none."""
    found: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    while found:
        places = [(frame.filename, f"{frame.lineno} in {frame.name}", frame.line) for frame in found.stack]
        # Python can't have a frame in a file that it can't read.
        if issubclass(found.exc_type, SyntaxError):
            places.append((found.filename or "", f"{found.lineno}", found.text))
        frames = [
            f"{where}:{at}: {(line or '').strip()}".removesuffix(": ")
            for filename, at, line in places
            if (where := place_in(folders, filename))
        ]
        if frames:
            return frames
        found = found.__cause__ or found.__context__
    return []


def place_in(folders: list[str], filename: str) -> str | None:
    """The path of a file inside the project; None for other people's code."""
    path = os.path.realpath(filename)
    if filename.startswith("<") or "site-packages" in path or os.path.dirname(path) == own_folder:
        return None
    for folder in map(os.path.realpath, folders):
        if path.startswith(folder + os.sep):
            return os.path.relpath(path, folder).replace(os.sep, "/")
    return None


def describe_error(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"The project called sys.exit({'' if error.code is None else repr(error.code)})."
    causes = [error]
    # crewAI raises some errors from themselves.
    while causes[-1].__cause__ and causes[-1].__cause__ not in causes:
        causes.append(causes[-1].__cause__)
    cause = causes[-1]
    reason = "" if str(cause) in str(error) else f" ({type(cause).__name__}: {cause})"
    return f"{type(error).__name__}: {error}{reason}"
