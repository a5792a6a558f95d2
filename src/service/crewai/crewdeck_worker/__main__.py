"""The worker's program: imports crewAI, and does one command after the other."""

import contextlib
import gc
import importlib
import importlib.metadata
import io
import os
import sys
from types import ModuleType
from typing import Any

# As a package: modules of a project may have the names of this one's.
if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from crewdeck_worker.protocol import Failure, Service, Watch, listen  # noqa: E402

oldest = (1, 0)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    service = Service()
    problem = unsuitable()
    if problem:
        service.reply("failed", message=problem)
    else:
        work(service)


def unsuitable() -> str | None:
    """Why this Python can't run crews; None if it can."""
    try:
        found = importlib.metadata.version("crewai")
    except importlib.metadata.PackageNotFoundError as error:
        return f'{sys.executable} has no crewAI ({error}). Install it in the project: "uv sync", or "pip install crewai".'
    if tuple(int(part) for part in found.split(".")[:2]) < oldest:
        return (
            f"{sys.executable} has crewAI {found}, and Crewdeck runs crewAI 1.0 or newer. "
            'Upgrade it in the project: "uv add crewai --upgrade-package crewai", or "pip install --upgrade crewai".'
        )
    try:
        import_crewai()
    except Exception as error:
        return (
            f"{sys.executable} can't load crewAI {found}. {type(error).__name__}: {error}\n"
            'Install it again in the project: "uv sync --reinstall", or "pip install --force-reinstall crewai".'
        )
    return None


def import_crewai() -> None:
    """Imports crewAI without the project's `.env`, which it would read, and which may change until a project is opened.

    python-dotenv before 1.2, which crewAI 1.0 takes, too, doesn't know the variable: then a worker that started before the
    file changed keeps the old values.
    """
    os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
    # Without an answer crewAI asks on the console whether to share traces.
    os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")
    given = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["PYTHON_DOTENV_DISABLED"] = "true"
    # The import makes hardly any garbage; looking for it takes a tenth of the time.
    gc.disable()
    try:
        import crewai.project  # noqa: F401

        # What would be imported at an execution's first call of a model.
        with contextlib.suppress(ImportError):
            for late in ("httpcore", "openai.resources.chat", "openai.resources.responses"):
                importlib.import_module(late)
    finally:
        del os.environ["PYTHON_DOTENV_DISABLED"]
        if given is not None:
            os.environ["PYTHON_DOTENV_DISABLED"] = given
        gc.freeze()
        gc.enable()


def work(service: Service) -> None:
    """Never ends: the service ends it."""
    from crewai.events import crewai_event_bus

    from crewdeck_worker.attempt import attempt
    from crewdeck_worker.calls import Calls
    from crewdeck_worker.gate import Gate
    from crewdeck_worker.judge import judged
    from crewdeck_worker.project import Project, describe, describe_error, frames_of, inputs_of, meet_debugger, remarks_on

    watch = Watch()
    listen(service.reply, watch)
    calls = Calls(service.reply, Gate(service.ask))
    calls.tap()
    service.reply("ready")
    project: Any = None

    def do(command: Any) -> tuple[str, dict[str, Any]]:
        nonlocal project
        if command["do"] == "project":
            if command["debugPort"]:
                meet_debugger(command["debugPort"])
            project = Project(command)
            calls.open(project.variables, command["replay"])
            return "project", {"variables": project.variables}
        if command["do"] == "attempt":
            if project.is_flow:
                return "output", calls.during(command["at"], command["rules"], lambda: flow().flow_part(project, command, watch))
            make = lambda: judged(attempt(project, command, calls.check), project, command, calls)
            return "output", calls.during(command["at"], command["rules"], make)
        if project.is_flow:
            inputs = flow().inputs_of_flow(project) if command["inputs"] else []
            return "opened", {"crew": flow().describe_flow(project), "inputs": inputs, "remarks": []}
        crew = project.crew()
        calls.check(crew)
        return "opened", {"crew": describe(crew), "inputs": inputs_of(crew), "remarks": remarks_on(crew)}

    def finish(kind: str, reply: dict[str, Any]) -> None:
        # A process that the project forked isn't the worker, and has no threads to wait for.
        if service.is_in_fork:
            os._exit(1)
        # Newer versions report the steps and events of an attempt on other threads.
        if hasattr(crewai_event_bus, "flush"):
            crewai_event_bus.flush()
        service.reply(kind, **reply)

    while True:
        command = service.commands.get()
        try:
            finish(*do(command))
        except Failure as error:
            finish("failed", {"message": str(error)})
        except BaseException as error:  # A project may call sys.exit, and return what JSON can't carry.
            folders = [project.source, project.folder] if project else []
            finish("failed", {"message": "\n  ".join([describe_error(error), *frames_of(error, folders)])})


def flow() -> ModuleType:
    try:
        from crewdeck_worker import flow
    except ImportError:
        found = importlib.metadata.version("crewai")
        raise Failure(f"crewAI {found} can't pause a flow for a person. Flows need crewAI 1.15 or newer.") from None
    return flow


if __name__ == "__main__":
    main()
