"""What the worker reports of errors, processes and protocol."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from conftest import version
from crewdeck_worker import project, protocol


def test_a_place_is_a_path_inside_the_project_and_other_peoples_code_has_none(tmp_path):
    folder = str(tmp_path)
    (tmp_path / "crew.py").touch()
    (tmp_path / "link.py").symlink_to(tmp_path / "crew.py")
    assert project.place_in([folder], f"{folder}/src/crew.py") == "src/crew.py"
    assert project.place_in(["/elsewhere", folder], f"{folder}/link.py") == "crew.py"
    others = [f"{folder}2/crew.py", f"{folder}/.venv/lib/site-packages/a.py", "<string>", json.__file__, protocol.__file__]
    assert [project.place_in([folder, protocol.__file__ + "/.."], each) for each in others] == [None] * len(others)


def error_of(code, filename):
    try:
        exec(compile(code, filename, "exec"), {})
    except BaseException as error:
        return error


def test_frames_are_the_projects_own(tmp_path):
    file = tmp_path / "crew.py"
    file.write_text("import json\n\ndef read():\n    json.loads('{')\n\nread()\n")
    error = error_of(file.read_text(), str(file))
    frames = ["crew.py:6 in <module>: read()", "crew.py:4 in read: json.loads('{')"]
    assert project.frames_of(error, [str(tmp_path)]) == frames
    assert project.frames_of(error, [str(tmp_path / "other")]) == []


def test_frames_are_those_of_the_cause_where_the_error_has_none(tmp_path):
    file = tmp_path / "crew.py"
    file.write_text("missing\n")
    wrapped = ValueError("of a library")
    wrapped.__cause__ = error_of(file.read_text(), str(file))
    assert project.frames_of(wrapped, [str(tmp_path)]) == ["crew.py:1 in <module>: missing"]
    endless = ValueError("its own cause")
    endless.__cause__ = endless
    assert project.frames_of(endless, [str(tmp_path)]) == []
    assert project.describe_error(endless) == "ValueError: its own cause"


def test_a_syntax_error_has_the_line_that_python_can_not_read(tmp_path):
    file = str(tmp_path / "crew.py")
    assert project.frames_of(error_of("x = 1\ndef broken(:\n", file), [str(tmp_path)]) == ["crew.py:2: def broken(:"]


def test_started_processes_are_found_below_each_other_and_in_groups_of_their_own():
    code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()'], start_new_session=True); print(); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        below = protocol.started()
        assert child.pid in below and os.getpid() not in below
        parents = dict(protocol.processes())
        assert child.pid in [parents[pid] for pid in below]
    finally:
        child.communicate(b"\n\n")


class Event(SimpleNamespace):
    def __init__(self, kind, **members):
        super().__init__(type=kind, timestamp=SimpleNamespace(isoformat=lambda: "now"), **members)


def test_an_event_keeps_what_is_small_and_public():
    agent = SimpleNamespace(role="Editor")
    output = SimpleNamespace(raw="A text.")
    event = Event("agent_execution_completed", event_id="1", agent=agent, task=object(), output=output, error="", usage={"total_tokens": 3})
    expected = {
        "type": "agent_execution_completed",
        "timestamp": "now",
        "event_id": "1",
        "agent_role": "Editor",
        "output": "A text.",
        "usage": {"total_tokens": 3},
    }
    assert protocol.described(event) == expected


@pytest.mark.skipif(version == "1.0.0", reason="its thread of events isn't in a fork")
def test_what_an_agent_thinks_is_reported(forked):
    def thoughts():
        from crewai.events import AgentLogsExecutionEvent, crewai_event_bus

        replies = []
        protocol.listen(lambda kind, **members: replies.append(members["event"].get("thought")), protocol.Watch())
        for thought in ("", "Failed to parse LLM response", "I must look."):
            answer = SimpleNamespace(thought=thought)
            crewai_event_bus.emit(None, AgentLogsExecutionEvent(agent_role="Editor", formatted_answer=answer))
        crewai_event_bus.flush()
        return replies

    assert forked(thoughts) == ["I must look."]


def test_texts_of_events_are_short_and_plain():
    long = "x" * (protocol.longest_text + 1)
    assert protocol.short(long) == long[:-1]
    assert protocol.short({"city": "Oslo"}) == {"city": "Oslo"}
    assert len(protocol.short({"city": long})) == protocol.longest_text
    assert protocol.short({"degrees": float("nan")}) == "{'degrees': nan}"
    assert protocol.short(True) is True


def test_a_prompt_keeps_its_end():
    end = {"role": "user", "content": "y" * (protocol.longest_text - 1)}
    messages = [{"role": "system", "content": "You are."}, {"role": "user", "content": "Begin"}, end]
    assert protocol.last_messages(messages) == [{"role": "user", "content": "B"}, end]
    assert protocol.described(Event("llm_call_started", messages="A text"))["messages"] == "A text"
    assert "messages" not in protocol.described(Event("llm_call_completed", messages=messages))


@pytest.mark.parametrize("opened", [0, 9])
def test_a_project_that_closes_what_the_worker_replies_with_ends_it_with_a_code_of_its_own(tmp_path, opened):
    code = f"""
import os
from crewdeck_worker.protocol import Service
service = Service()
os.closerange(3, 256)
files = [open({str(tmp_path / "its own")!r}, "w+") for _ in range({opened})]
service.reply("ready")
"""
    env = {**os.environ, "PYTHONPATH": os.path.dirname(project.own_folder)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.wait(60) == protocol.pipe_closed
        assert child.stdout.read() == b""
    assert all(file.read_text() == "" for file in tmp_path.iterdir())
