"""Runs the worker's parts in children of one process that has imported crewAI, which takes seconds."""

import importlib.metadata
import os
import pathlib
import pickle
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "src" / "service" / "crewai"))
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OPENAI_API_KEY="key")

from crewdeck_worker import __main__  # noqa: E402

__main__.import_crewai()

from crewdeck_worker.project import Project  # noqa: E402
from crewdeck_worker.protocol import Failure  # noqa: E402


version = importlib.metadata.version("crewai")
reads_flows = pytest.mark.skipif(version == "1.0.0", reason="flows need crewAI 1.15")


def opened(folder, file, crew_class=None, source=None, storage=None, is_flow=False):
    command = {"folder": str(folder), "source": str(source or folder), "file": file, "crewClass": crew_class}
    return Project({**command, "storage": storage, "isFlow": is_flow, "environment": {}, "debugPort": None})


@pytest.fixture
def forked():
    """Calls a function in a child, because a project changes the process that imports it. Returns its result, or the message of a failure."""

    def call(function):
        readable, writable = os.pipe()
        if os.fork() == 0:
            try:
                result = function()
            except Failure as failure:
                result = str(failure)
            except BaseException as error:
                result = f"unexpected: {error!r}"
            with os.fdopen(writable, "wb") as pipe:
                pipe.write(pickle.dumps(result))
            os._exit(0)
        os.close(writable)
        with os.fdopen(readable, "rb") as pipe:
            result = pickle.loads(pipe.read())
        os.wait()
        return result

    return call


@pytest.fixture
def project(tmp_path):
    """Writes files, and returns their folder."""

    def write(files):
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return tmp_path

    return write
