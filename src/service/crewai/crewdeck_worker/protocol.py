"""How the worker speaks with the service that started it, and what it says of errors.

One JSON object a line. Standard input brings commands, standard output takes replies; what the project prints goes to
standard error. When standard input closes, the worker and all that it started end.

    before any command, once crewAI is imported
        {"type": "ready"}
    {"do": "project", ...}
        {"type": "project", "variables": [["NAME", "value"]]}: those of the `.env`, which the service hides from now on
    {"do": "open"} after "project"
        {"type": "opened", "crew": {...}, "remarks": ["..."]}
    {"do": "inputs"} after "open"
        {"type": "inputs", "inputs": ["..."]}
    {"do": "attempt", ...} after "open"
        {"type": "step", ...} and {"type": "event", "event": {...}} any number of times, then
        {"type": "output", "output": "...", "inputs": {...}, "usage": {...}}, or the same with "isSkipped": true, with "draft": {...}
        before a review, or with "refusal": {...} if a guardrail refuses the approved draft
    {"do": "flow", ...} after "open"
        {"type": "step", ...} and {"type": "event", "event": {...}} any number of times; events of the flow's own methods
        also have "method": {"name": "...", "output": "..."}; then
        {"type": "output", "output": "...", "usage": {...}}, or the same with "pause": {...}
    all may also answer {"type": "failed", "message": "...", "frames": ["..."]}
"""

import json
import os
import queue
import signal
import subprocess
import threading
import traceback
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import Any, TypedDict

# The exit code of a worker whose project closed a pipe to the service (worker.ts).
pipe_closed = 70
own_folder = os.path.dirname(os.path.realpath(__file__))


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


class AttemptCommand(TypedDict):
    task: int
    inputs: dict[str, Any]
    # The outputs of the tasks before it; None for one that has none.
    earlier: list[str | None]
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


class Service:
    """The service. Takes standard input and output for itself: the project reads nothing, and prints to standard error."""

    def __init__(self) -> None:
        self.commands: queue.Queue[dict[str, Any]] = queue.Queue()
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

    def reply(self, kind: str, **members: object) -> None:
        # Lone surrogates are valid in a Python string, and only escapes carry them.
        given = {name: value for name, value in members.items() if value is not None}
        line = json.dumps({"type": kind, **given}, ensure_ascii=True, default=str)
        with self.lock:
            try:
                if self.has(self.replies):
                    self.replies.write(line + "\n")
                    self.replies.flush()
                else:
                    self.end_for_closed_pipe()
            except BrokenPipeError:  # The service has ended.
                end()
            except OSError:
                self.end_for_closed_pipe()

    def read(self) -> None:
        try:
            for line in self.lines:
                self.commands.put(json.loads(line))
            if self.has(self.lines):
                end()
        except (OSError, ValueError):
            pass
        # The project closed it, or another file has its number, such as one that is opened to end for the other pipe.
        self.end_for_closed_pipe()

    def end_for_closed_pipe(self) -> None:
        """Ends the worker and what it started, with the exit code that says why; a signal, as in `end`, would not.

        A process that the project forked goes on: closing the pipes there closes none of the worker's.
        """
        if not self.is_in_fork:
            try:
                end_started()
            finally:
                os._exit(pipe_closed)


def end() -> None:
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


def end_started() -> None:
    for pid in started() if os.name != "nt" else ():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:  # It has just ended.
            pass


def started() -> list[int]:
    """The processes below this one. Browsers and servers of MCP, for example, are in groups of their own."""
    parents = dict(processes())
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def processes() -> Iterator[tuple[int, int]]:
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


class Failure(Exception):
    """What a person can mend in the project; its message is the whole answer."""


def frames_of(error: BaseException | None, folders: Iterable[str]) -> list[str]:
    """The project's own stack frames, the innermost last; those of the cause where the error has none."""
    frames: list[str] = []
    seen = set()
    # An error may be its own cause: crewAI raises it "from" itself if an agent's model has no key.
    while error and not frames and id(error) not in seen:
        seen.add(id(error))
        for frame in traceback.extract_tb(error.__traceback__):
            where = place_in(folders, frame.filename)
            if where:
                frames.append(f"{where}:{frame.lineno} in {frame.name}: {frame.line or ''}".removesuffix(": "))
        # Python can't have a frame in a file that it can't read.
        if isinstance(error, SyntaxError) and place_in(folders, error.filename or ""):
            frames.append(f"{place_in(folders, error.filename or '')}:{error.lineno}: {(error.text or '').strip()}".removesuffix(": "))
        error = error.__cause__ or error.__context__
    return frames


def place_in(folders: Iterable[str], filename: str) -> str | None:
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
