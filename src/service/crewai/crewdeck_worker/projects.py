"""Imports a project, and makes the crew that it defines."""

import contextlib
import importlib
import importlib.util
import os
import pathlib
import sys
import traceback
from collections.abc import Callable, Iterator
from importlib.metadata import version
from types import ModuleType
from typing import Any, NoReturn

import crewai
import dotenv
from crewai import Agent, Crew, Flow

from crewdeck_worker.protocol import Failure, ProjectCommand, place_in

# Characters of a `.env`'s values, which the service hides.
largest_environment = 1_000_000


class Project:
    def __init__(self, command: ProjectCommand) -> None:
        self.folder, self.source, self.file = command["folder"], command["source"], command["file"]
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
                if sum(len(value or "") for value in values.values()) > largest_environment:
                    raise Failure(f"The values in {file} are larger than 1 MB, so that they could not be hidden in the log. Remove some.")
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
            raise Failure(
                f"crewAI {version('crewai')} can't read {self.file}: declarative crews need crewAI 1.15.0 or newer."
            ) from None
        return load_crew(os.path.join(self.source, self.file))[0]

    def module(self) -> ModuleType:
        inside = os.path.relpath(self.folder, self.root)
        with no_kickoff([self.source, self.folder, self.root]):
            if self.source != self.folder and not inside.startswith("."):
                import_package(inside.replace(os.sep, "."), self.source)
            return importlib.import_module(self.module_name)

    def crew_in(self, module: ModuleType) -> Crew:
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


def place_knowledge() -> None:
    """crewAI chose the folder of its knowledge when it was imported, before it was known whose it is. It may lack Chroma."""
    room = "crewai.rag.chromadb."
    constants = sys.modules.get(room + "constants")
    loaded = [module for name, module in sys.modules.items() if name.startswith(room)] if constants else []
    for module in loaded:
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
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
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
