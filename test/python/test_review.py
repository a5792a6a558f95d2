"""A task that a person reviews has the same effects as in crewAI alone, which asks on the console."""

import importlib
import json
import os

import pytest

from conftest import opened, version
from crewdeck_worker.attempt import attempt

# What each effect writes to the file "effects", one a line: callbacks, guardrails, memory; and the agent's answers, one for each call of its model.
code = '''
import json
from typing import Any

from crewai import Agent, Crew, Process, Task
from crewai.llms.base_llm import BaseLLM
from pydantic import BaseModel

{memory}


class Poem(BaseModel):
    title: str


def note(kind, text):
    with open("effects", "a") as file:
        file.write(json.dumps([kind, text]) + "\\n")


class Scripted(BaseLLM):
    def call(self, messages, *args, **kwargs):
        prompt = messages if isinstance(messages, str) else "\\n".join(str(each["content"]) for each in messages)
        kind = "answer" if "Write about tides" in prompt else "convert"
        answer = answers[kind].pop(0)
        note(kind, answer)
        self._track_token_usage_internal({{"total_tokens": 3, "prompt_tokens": 2, "completion_tokens": 1}})
        return answer

    def supports_function_calling(self):
        return False


answers = {{"answer": {answers}, "convert": ['{{"title": "Converted"}}'] * 5}}
# One for all crews of the process.
model = Scripted(model="scripted")


def not_short(output):
    note("not_short", output.raw)
    return (False, "Too short.") if "short" in output.raw else (True, output.raw)


def shouted(output):
    note("shouted", output.raw)
    return (False, "Too quiet.") if "quiet" in output.raw else (True, output.raw.upper())


def after(result):
    note("after_kickoff", result.raw)
    return result


def make() -> Crew:
    poet = Agent(role="Poet", goal="g", backstory="b", llm=model)
    first = Task(name="plan", description="Write about tides: a plan.", expected_output="A plan.", agent=poet)
    poem = Task(
        name="poem",
        description="Write about tides: {{form}}.",
        expected_output="A poem.",
        agent=poet,
        human_input=True,
        callback=lambda output: note("callback", [output.raw, output.pydantic and output.pydantic.title, output.description]),
        output_file="out/{{form}}.txt",
        {task}
    )
    crew = Crew(
        agents=[poet], tasks=[first, poem], task_callback=lambda output: note("task_callback", [output.name, output.raw]),
        output_log_file="log.json", {crew}
    )
    crew.after_kickoff_callbacks.append(after)
    return crew
'''

memories = {
    "unified": (
        """
from crewai.memory.unified_memory import Memory


class Noted(Memory):
    def extract_memories(self, content):
        note("memory", content)
        return ["one", "two"]

    def remember_many(self, contents, **kwargs):
        note("remembered", contents)

    def recall(self, *args, **kwargs):
        return []
""",
        'memory=Noted(llm=model, embedder=lambda texts: [[0.0] for _ in texts], storage=object())',
    ),
    "external": (
        """
from crewai.memory.external.external_memory import ExternalMemory
from crewai.memory.storage.interface import Storage


class Noted(Storage):
    def save(self, value, metadata):
        note("memory", value)

    def search(self, *args, **kwargs):
        return []

    def reset(self):
        pass
""",
        "external_memory=ExternalMemory(storage=Noted())",
    ),
}


def memory():
    try:
        import crewai.memory.unified_memory  # noqa: F401
    except ImportError:
        return memories["external"]
    return memories["unified"]


def alone(feedback):
    """crewAI's own kickoff, with its own question on standard input."""
    import builtins

    answers = list(feedback)
    builtins.input = lambda *_: answers.pop(0)
    error = None
    try:
        importlib.import_module("crew").make().kickoff(inputs={"form": "haiku"})
    except Exception as raised:
        error = str(raised)
    assert error or not answers
    return effects(error)


def reviewed(feedback, repeats=1):
    """The same, as the service does it: an attempt for each draft, and each approved one is finished `repeats` times."""
    project = opened(os.getcwd(), "crew.py")
    common = {"inputs": {"form": "haiku"}, "notes": [], "isReviewed": False, "refusal": None, "draft": None}
    first = attempt(project, {**common, "task": 0, "earlier": [], "isFirst": True, "isLast": False})
    used = first["usage"]["total_tokens"]
    task = {**common, "task": 1, "earlier": [first["output"]], "isFirst": False, "isLast": True, "isReviewed": True}
    notes, refusal, error, finished = [], None, None, None

    def run(draft):
        nonlocal used
        result = attempt(project, {**task, "notes": notes, "refusal": refusal, "draft": draft})
        used += result["usage"]["total_tokens"]
        return result

    try:
        for text in feedback:
            # As between two processes.
            draft = json.loads(json.dumps(run(None)["draft"]))
            if text:
                notes.append(f"{text}\n{draft['output']}")
                continue
            for _ in range(repeats):
                finished = run(draft)
            refusal = finished.get("refusal")
    except Exception as raised:
        error = str(raised)
    # crewAI counts a model that two agents share twice.
    assert used in (calls * tokens for calls in [sum(kind in ("answer", "convert") for kind, _ in effects()["effects"])] for tokens in (3, 6))
    return effects(error)


def effects(error=None):
    with open("effects") as file:
        noted = [json.loads(line) for line in file]
    files = {}
    for folder, _, names in os.walk("out"):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                files[name] = file.read()
    with open("log.json") as file:
        log = [(entry["task_name"], entry["status"], entry.get("output")) for entry in json.load(file)]
    return {"effects": noted, "files": files, "log": log, "error": error}


def in_folder(parent, case, way, **options):
    answers, feedback, task = cases[case]
    module, crew = memory()
    if case == "a manager":
        crew += ', process=Process.hierarchical, manager_agent=Agent(role="M", goal="g", backstory="b", llm=model)'
    folder = parent / way.__name__
    folder.mkdir()
    (folder / "crew.py").write_text(code.format(memory=module, answers=repr(answers), task=task, crew=crew))
    os.chdir(folder)
    # Versions can't read each other's files.
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.sys.path.insert(0, str(folder))
    return way(feedback, **options)


# By name: what the agent answers, what the person says to each draft, and more of the task.
cases = {
    "approve": (["Plan.", "Tides."], [""], ""),
    "reject, then approve": (["Plan.", "Tides.", "Better tides.", "Best tides."], ["Better.", "Best.", ""], ""),
    "a guardrail changes the output": (["Plan.", "Tides."], [""], "guardrail=shouted,"),
    "a guardrail refuses": (["Plan.", "A short one.", "Tides."], ["", ""], "guardrail=not_short,"),
    "a guardrail refuses, then a rejection": (["Plan.", "A short one.", "Tides.", "Better."], ["", "Better.", ""], "guardrail=not_short,"),
    "a guardrail refuses too often": (["Plan.", "short 1", "short 2"], ["", ""], "guardrail=not_short, guardrail_max_retries=1,"),
    "a guardrail allows no retry": (["Plan.", "short 1"], [""], "guardrail=not_short, guardrail_max_retries=0,"),
    "the second of two guardrails refuses": (
        ["Plan.", "quiet 1", "quiet 2", "Tides."],
        ["", "", ""],
        "guardrails=[not_short, shouted], guardrail_max_retries=2,",
    ),
    "one guardrail after the other refuses": (
        ["Plan.", "short", "quiet 1", "quiet 2"],
        ["", "", ""],
        "guardrails=[not_short, shouted], guardrail_max_retries=1,",
    ),
    "an output model, by the text": (["Plan.", '{"title": "Tides"}'], [""], "output_pydantic=Poem,"),
    "an output model, by the model": (["Plan.", "Tides.", "Better."], ["Better.", ""], "output_pydantic=Poem,"),
    "JSON and a guardrail": (["Plan.", '{"title": "Tides"}'], [""], "output_json=Poem, guardrail=not_short,"),
    "a manager": (["Plan.", "Tides.", "Better."], ["Better.", ""], "max_retries=None,"),
}


@pytest.mark.parametrize("case", cases)
def test_the_same_callbacks_files_and_memory_as_in_crewai_alone(forked, tmp_path, case):
    theirs, ours = (forked(lambda: in_folder(tmp_path, case, way)) for way in (alone, reviewed))
    if "refuses" in case and theirs["files"] and theirs["files"] != ours["files"]:
        # Before 1.15.30, crewAI writes the first answer of the agent, which the guardrail refused. Here, it is the last.
        assert version in ("1.0.0", "1.15.0")
        theirs["files"] = {"haiku.txt": cases[case][0][-1]}
    assert ours == theirs


def test_after_a_crash_what_follows_the_approval_happens_again(forked, tmp_path):
    theirs = forked(lambda: in_folder(tmp_path, "approve", alone))
    ours = forked(lambda: in_folder(tmp_path, "approve", reviewed, repeats=2))
    after_review = theirs["effects"][theirs["effects"].index(["answer", "Tides."]) + 1 :]
    assert ours["effects"] == theirs["effects"] + after_review
    assert ours["files"] == theirs["files"]


def test_a_draft_leaves_nothing(forked, tmp_path):
    """Also one whose agent has already answered when the person never decides."""
    cases["no decision"] = (["Plan.", "Tides."], ["Better."], "guardrail=not_short, output_pydantic=Poem,")
    ours = forked(lambda: in_folder(tmp_path, "no decision", reviewed))
    assert ours["effects"][-1] == ["answer", "Tides."]
    assert ours["files"] == {}


not_asking = """
from crewai import Agent, Crew, Task
from crewai.tasks.conditional_task import ConditionalTask
from crewai.tasks.task_output import TaskOutput


class Own(Task):
    def execute_sync(self, agent=None, context=None, tools=None):
        return TaskOutput(description="d", raw="Text.", agent="r")


def make() -> Crew:
    agent = Agent(role="r", goal="g", backstory="b")
    common = {"description": "d", "expected_output": "e", "agent": agent}
    return Crew(agents=[agent], tasks=[Own(**common), ConditionalTask(condition=lambda output: "yes" in output.raw, **common)])
"""


def test_a_task_that_never_asks_its_agent_has_no_draft(forked, project):
    """As one that overrides how it runs, and one that is skipped."""
    folder = project({"crew.py": not_asking})
    common = {"inputs": {}, "notes": [], "isFirst": False, "isReviewed": True, "refusal": None, "draft": None}

    def run(earlier):
        command = {**common, "task": len(earlier), "earlier": earlier, "isLast": len(earlier) == 1}
        return attempt(opened(folder, "crew.py"), command)

    assert "no draft to review" in forked(lambda: run([]))
    assert forked(lambda: run(["No."])) == {"output": "", "isSkipped": True, "inputs": {}}
