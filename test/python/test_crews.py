"""What the worker says of a crew or a flow."""

import json
from types import SimpleNamespace

import pytest
from conftest import opened, reads_flows, version
from crewdeck_worker import project as projects
from crewdeck_worker.attempt import attempt
from crewdeck_worker.protocol import Failure, Watch


def test_tasks_with_the_same_name_get_names_of_their_own():
    tasks = [SimpleNamespace(name=name) for name in ("same", None, "same", "same_2", "same", "task_2")]
    assert projects.names_of(tasks) == ["same", "task_2", "same_3", "same_2", "same_4", "task_2_2"]


def crew_with(description, **task):
    from crewai import Agent, Crew, Task

    worker = Agent(role="{who}", goal="g", backstory="b")
    made = Task(description=description, expected_output="e", agent=worker, **task)
    return Crew(agents=[worker], tasks=[made])


def test_inputs_are_what_crewai_finds_and_what_it_fails_without(forked):
    texts = 'A {{topic}} as {"a": "{plot}"}, {2}, {month of travel}.'
    inputs = forked(lambda: projects.inputs_of(crew_with(texts, output_file="{folder}/out.md")))
    assert set(inputs) == {"who", "{topic", "topic", '"a": "{plot', "plot", "2", "month of travel", "folder"}
    assert inputs[0] == "who"


def inputs_of_flow(folder, file):
    from crewdeck_worker.flow import inputs_of_flow

    return inputs_of_flow(opened(folder, file, is_flow=True))


def flow_file(state):
    return json.dumps(
        {
            "schema": "crewai.flow/v1",
            "name": "Tides",
            "state": state,
            "methods": {"begin": {"start": True, "do": {"call": "expression", "expr": "state.topic"}}},
        }
    )


@reads_flows
def test_a_declared_flow_asks_for_the_members_of_its_state(forked, project):
    schema = {"type": "object", "properties": {"id": {"type": "string"}, "topic": {"type": "string"}, "days": {"type": "integer"}}}
    states = {
        "schema": ({"type": "json_schema", "json_schema": {**schema, "required": ["topic"]}}, ["topic", "days"]),
        "dict": ({"type": "dict", "default": {"topic": "tides", "id": "x"}}, ["topic"]),
        "none": (None, []),
    }
    folder = project({f"{name}.yaml": flow_file(state) for name, (state, _) in states.items()})
    for name, (_, expected) in states.items():
        assert forked(lambda: inputs_of_flow(folder, f"{name}.yaml")) == expected, name


@reads_flows
def test_a_flow_in_python_never_asks_for_its_id(forked, project):
    folder = project(
        {
            "main.py": "from pydantic import BaseModel\nfrom crewai.flow.flow import Flow, start\n\n\n"
            "class State(BaseModel):\n    topic: str = ''\n\n\n"
            "class Tides(Flow[State]):\n    @start()\n    def begin(self):\n        return self.state.topic\n"
        }
    )
    assert forked(lambda: inputs_of_flow(folder, "main.py")) == ["topic"]


crew_in_callback = """
from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM

calls = []


class Counted(BaseLLM):
    def call(self, *args, **kwargs):
        calls.append(args)
        return "Text."


def crew_of(**task):
    agent = Agent(role="r", goal="g", backstory="b", llm=Counted(model="counted"))
    return Crew(agents=[agent], tasks=[Task(description="Write.", expected_output="e", agent=agent, **task)])


def make() -> Crew:
    return crew_of(callback=lambda output: crew_of(name="inner", human_input=True).kickoff())
"""


@pytest.mark.skipif(version in ("1.0.0", "1.15.0"), reason="it notices that a person is asked after the model's answer, and repeats that")
def test_a_task_that_would_ask_on_the_console_is_refused_and_not_repeated(forked, project):
    folder = project({"crew.py": crew_in_callback})
    command = {"task": 0, "inputs": {}, "earlier": [], "notes": [], "isFirst": True, "isLast": True, "isReviewed": False}

    def run():
        project = opened(folder, "crew.py")
        with pytest.raises(Failure, match='The task "inner" has human_input'):
            attempt(project, {**command, "refusal": None, "draft": None})
        return len(project.module().calls)

    assert forked(run) == 1


@reads_flows
def test_a_declared_flow_waits_for_a_person_and_continues(forked, project, tmp_path):
    review = {"message": "Is it right?", "emit": ["yes", "no"], "llm": "gpt-4o-mini"}
    methods = {
        "draft": {"start": True, "do": {"call": "expression", "expr": "state.topic"}, "human_feedback": review},
        "send": {"listen": "yes", "do": {"call": "expression", "expr": "'sent ' + state.topic"}},
        "again": {"listen": "no", "do": {"call": "expression", "expr": "'again'"}},
    }
    flow = {"schema": "crewai.flow/v1", "name": "Review", "state": {"type": "dict", "default": {"topic": "tides"}}, "methods": methods}
    folder = project({"flow.yaml": json.dumps(flow)})
    command = {"id": "6f9b1c1e-4c1f-4bb0-9a51-d0a6a3a1f002", "store": str(tmp_path / "store"), "inputs": {"topic": "ebb"}}

    def part(answer):
        from crewdeck_worker.flow import flow_part

        return flow_part(opened(folder, "flow.yaml", is_flow=True), {**command, "answer": answer}, Watch())

    pause = forked(lambda: part(None))["pause"]
    assert [pause[name] for name in ("method", "output", "message", "options")] == ["draft", "ebb", "Is it right?", ["yes", "no"]]
    # A process of its own, as after a restart.
    answer = {"requestedAt": pause["requestedAt"], "feedback": "Fine.", "outcomes": ["yes"]}
    assert forked(lambda: part(answer))["output"] == "sent ebb"
