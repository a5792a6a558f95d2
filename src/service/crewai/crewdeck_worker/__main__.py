"""The worker's program: imports crewAI, and does one command after the other."""

import gc
import importlib.metadata
import io
import os
import sys
from types import ModuleType
from typing import Any

# As a package: modules of a project may have the names of this one's.
if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from crewdeck_worker.protocol import Failure, Service, describe_error, frames_of  # noqa: E402

oldest = (1, 0)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    service = Service()
    problem = unsuitable()
    if problem:
        service.reply("failed", message=problem, frames=[])
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
            f"{sys.executable} can't load crewAI {found}. {describe_error(error)}\n"
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
    finally:
        del os.environ["PYTHON_DOTENV_DISABLED"]
        if given is not None:
            os.environ["PYTHON_DOTENV_DISABLED"] = given
        gc.freeze()
        gc.enable()


def work(service: Service) -> None:
    """Never ends: the service ends it."""
    from crewdeck_worker import events
    from crewdeck_worker.attempts import attempt
    from crewdeck_worker.crews import describe, inputs_of, remarks_on
    from crewdeck_worker.projects import Project

    watch = events.Watch()
    events.listen(service.reply, watch)
    service.reply("ready")
    folders: list[str] = []
    while True:
        command: Any = service.commands.get()
        try:
            if command["do"] == "project":
                folders = [command["source"], command["folder"]]
                project = Project(command)
                service.reply("project", variables=project.variables)
            elif command["do"] == "open":
                if project.is_flow:
                    crew = flows().flow_of(project)
                    service.reply("opened", crew=flows().describe_flow(crew), remarks=[])
                else:
                    crew = project.crew()
                    service.reply("opened", crew=describe(crew), remarks=remarks_on(crew))
            elif command["do"] == "inputs":
                service.reply("inputs", inputs=flows().inputs_of_flow(crew()) if project.is_flow else inputs_of(crew))
            else:
                try:
                    result = flows().flow_part(project, command, watch) if project.is_flow else attempt(project, command)
                finally:
                    # A process that it forked has no threads to wait for.
                    if not service.is_in_fork:
                        events.flush()
                service.reply("output", **result)
        except Failure as error:
            service.reply("failed", message=str(error), frames=[])
        except BaseException as error:  # A project may call sys.exit.
            # A process that it forked isn't the worker. At its end, Python would wait for threads that only the worker has.
            if service.is_in_fork:
                os._exit(1)
            service.reply("failed", message=describe_error(error), frames=frames_of(error, folders))


def flows() -> ModuleType:
    try:
        from crewdeck_worker import flows
    except ImportError:
        found = importlib.metadata.version("crewai")
        raise Failure(f"crewAI {found} can't pause a flow for a person. Flows need crewAI 1.15 or newer.") from None
    return flows


if __name__ == "__main__":
    main()
