"""How the worker imports a project, and which crew it takes."""

import os
import shutil
import signal
import sys

import pytest

from conftest import opened, reads_flows
from crewdeck_worker import project as projects
from crewdeck_worker.project import meet_debugger

crew = '''
from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task


@CrewBase
class {name}:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @agent
    def worker(self):
        return Agent(role="Worker on {name}", goal="g", backstory="b")

    @task
    def work(self):
        return Task(description="Work on {{topic}}.", expected_output="Text.", agent=self.worker())

    @crew
    def {method}(self):
        return Crew(agents=self.agents, tasks=self.tasks)
'''


def crew_of(name="Poem", method="crew"):
    return crew.format(name=name, method=method)


def roles(folder, file, crew_class=None, source=None):
    """Those of the agents, which name the class."""
    return [agent["role"] for agent in projects.describe(opened(folder, file, crew_class, source).crew())["agents"]]


@pytest.mark.parametrize(
    ("packages", "folder", "file", "root", "name"),
    [
        (["src/poem"], "", "src/poem/crew.py", "src", "poem.crew"),
        ([], "", "crew.py", "", "crew"),
        (["poem"], "", "poem/crew.py", "", "poem.crew"),
        # As `crewai create flow` makes it: the folder "crews" has no __init__.py.
        (["src/news"], "", "src/news/crews/short/short.py", "src", "news.crews.short.short"),
        # A package that is opened itself, without anything around it.
        (["poem"], "poem", "crew.py", "", "poem.crew"),
        (["news", "news/crews", "news/crews/short"], "news/crews/short", "short.py", "", "news.crews.short.short"),
        (["src", "src/poem"], "", "src/poem/crew.py", "", "src.poem.crew"),
        (["my-poem"], "my-poem", "crew.py", "my-poem", "crew"),
    ],
)
def test_a_module_is_imported_from_the_first_folder_that_is_no_package(project, packages, folder, file, root, name):
    top = project({f"{package}/__init__.py": "" for package in packages} | {os.path.join(folder, file): ""})
    assert projects.place_of_module(str(top / folder), file) == (str(top / root).rstrip("/"), name)


def test_relative_imports_above_a_crews_folder_and_imports_of_its_package_by_name(forked, project):
    top = project(
        {
            "news/__init__.py": "",
            "news/tools.py": "topic = 'tides'\n",
            "news/crews/__init__.py": "",
            "news/crews/short/__init__.py": "",
            "news/crews/short/help.py": "",
            "news/crews/short/short.py": "from ...tools import topic\nfrom news.crews.short import help\n" + crew_of(),
        }
    )
    folder = top / "news/crews/short"
    assert forked(lambda: roles(folder, "short.py")) == ["Worker on Poem"]
    # Of an execution that began before the project was edited.
    copy = top / "0f8c2a6e-copy"
    shutil.copytree(folder, copy)
    (folder / "short.py").write_text("raise SystemExit('the new file')\n")
    assert forked(lambda: roles(folder, "short.py", source=copy)) == ["Worker on Poem"]


def test_one_of_several_crews_is_chosen_by_its_name(forked, project):
    folder = project({"crew.py": crew_of("Poem") + crew_of("Letter") + "\n\ndef make() -> Crew:\n    return Poem().crew()\n"})
    assert forked(lambda: roles(folder, "crew.py", "Letter")) == ["Worker on Letter"]
    assert forked(lambda: roles(folder, "crew.py", "make")) == ["Worker on Poem"]
    assert "several crews: Poem, Letter" in forked(lambda: roles(folder, "crew.py"))
    assert "no crew with the name Song" in forked(lambda: roles(folder, "crew.py", "Song"))


@pytest.mark.parametrize(
    "method",
    [
        "    @crew\n    def research(self):",
        "    @team\n    def research(self):",
        ("    def build(self):", "    crew = crew(build)"),
        ("    def build(self):", "    research = project.crew(build)"),
    ],
)
def test_the_method_of_the_crew_may_have_any_name_and_be_decorated_in_any_way(forked, project, method):
    opening, below = (method, "") if isinstance(method, str) else method
    text = crew_of().replace("    @crew\n    def crew(self):", opening) + below + "\n"
    folder = project({"crew.py": "from crewai import project\nfrom crewai.project import crew as team\n" + text})
    assert forked(lambda: roles(folder, "crew.py")) == ["Worker on Poem"]


def test_a_class_without_a_crew_method_is_explained(forked, project):
    folder = project({"crew.py": crew_of().replace("    @crew\n", "").replace("def crew(", "def build(")})
    message = forked(lambda: roles(folder, "crew.py"))
    assert message.startswith("crew.py: the class Poem has @CrewBase, but no method with @crew.")


@pytest.mark.parametrize(
    "start",
    [
        "result = Poem().crew().kickoff(inputs={'topic': 'tides'})",
        "try:\n    Poem().crew().kickoff(inputs={'topic': 'tides'})\nexcept Exception:\n    pass",
        "import asyncio\nasyncio.run(Poem().crew().kickoff_async(inputs={'topic': 'tides'}))",
        "def main():\n    Poem().crew().kickoff_for_each(inputs=[{'topic': 'tides'}])\n\nmain()",
    ],
)
def test_an_import_that_starts_a_crew_is_stopped_and_its_line_named(forked, project, start):
    text = crew_of() + "\n" + start + "\n"
    folder = project({"crew.py": text})
    line = next(
        number for number, each in enumerate(text.split("\n"), 1) if "kickoff" in each and not each.startswith(" ") or each == "main()"
    ) if "try" not in start else text.split("\n").index("try:") + 2
    message = forked(lambda: roles(folder, "crew.py"))
    assert message.startswith(f"crew.py:{line} starts a crew when the file is imported"), message
    assert 'if __name__ == "__main__":' in message


@reads_flows
def test_an_import_that_starts_a_flow_is_stopped(forked, project):
    flow = "from crewai.flow.flow import Flow, start\n\n\nclass Tides(Flow):\n    @start()\n    def begin(self):\n        return 'x'\n\n\n"
    folder = project({"main.py": flow + "Tides().kickoff()\n"})

    def load():
        from crewdeck_worker.flow import flow_of

        flow_of(opened(folder, "main.py", is_flow=True))

    message = forked(load)
    assert message.startswith("main.py:10 starts a flow when the file is imported (Tides().kickoff())."), message


def test_crewai_runs_again_after_an_import(forked, project):
    folder = project({"crew.py": crew_of()})

    def run():
        from crewai import Crew

        before = Crew.kickoff
        opened(folder, "crew.py").crew()
        return before is Crew.kickoff

    assert forked(run) is True


@pytest.mark.parametrize("storage", [None, "own"])
def test_knowledge_is_kept_where_crewai_alone_keeps_it_or_in_the_given_folder(forked, tmp_path, monkeypatch, storage):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("CREWAI_STORAGE_DIR", raising=False)
    folder = tmp_path / "poems"
    folder.mkdir()
    (folder / "crew.py").write_text(crew_of())
    given = storage and str(tmp_path / storage)

    def kept():
        from crewai.rag.chromadb.config import _default_settings

        opened(folder, "crew.py", storage=given)
        return _default_settings().persist_directory

    assert forked(kept) == (given or str(tmp_path / "data" / "poems"))


def test_a_project_opens_with_a_crewai_that_lacks_chroma(forked, tmp_path, monkeypatch):
    (tmp_path / "crew.py").write_text(crew_of())

    def open_project():
        for name in [name for name in sys.modules if name.startswith("crewai.rag")]:
            monkeypatch.setitem(sys.modules, name, None)
        opened(tmp_path, "crew.py")
        return True

    assert forked(open_project) is True


def test_all_values_of_what_an_environment_file_names_are_to_be_hidden(forked, project, monkeypatch):
    monkeypatch.setenv("DB", "from outside")
    folder = project({"crew.py": "", ".env": "DB='s3cret#db' # comment\nURL=${DB}-at-home\nEMPTY=\n"})
    variables = [("DB", "s3cret#db"), ("URL", "s3cret#db-at-home"), ("DB", "from outside"), ("URL", "from outside-at-home")]
    assert forked(lambda: opened(folder, "crew.py").variables) == variables


def test_an_environment_file_is_a_regular_one(forked, project):
    folder = project({"crew.py": ""})
    # Whoever opens it waits for somebody who writes.
    os.mkfifo(folder / ".env")
    assert forked(lambda: signal.alarm(10) or opened(folder, "crew.py").file) == "crew.py"


def test_the_project_runs_without_a_debugger_that_has_left(forked, capfd, monkeypatch):
    class Debugpy:
        @staticmethod
        def connect(address):
            raise ConnectionRefusedError(f"nobody at {address}")

    monkeypatch.setitem(sys.modules, "debugpy", Debugpy)
    assert forked(lambda: meet_debugger(5678)) is None
    assert "runs without one" in capfd.readouterr().out
    monkeypatch.setitem(sys.modules, "debugpy", None)
    assert 'has no debugpy. Install it in the project: "uv add --dev debugpy"' in forked(lambda: meet_debugger(5678))
