"""The list of what the worker uses of crewAI that its documentation doesn't name."""

import ast
import pathlib
import re

import pytest

tests = pathlib.Path(__file__).parents[1]
package = tests.parent / "src" / "service" / "crewai" / "crewdeck_worker"
source = "\n".join(file.read_text() for file in package.glob("*.py"))

documented = {
    *("crewai", "crewai.events", "crewai.project", "crewai.tasks.task_output", "crewai.llms", "crewai.llms.base_llm", "crewai.tools"),
    *("crewai.flow.flow", "crewai.flow.async_feedback", "crewai.flow.persistence"),
}
review = "python/test_review.py test_the_same_callbacks_files_and_memory_as_in_crewai_alone"
console = "python/test_crews.py test_a_task_that_would_ask_on_the_console_is_refused_and_not_repeated"
pause = "python/test_crews.py test_a_declared_flow_waits_for_a_person_and_continues"
context = "crewai/projects.test.ts gives a task the context that it names, and no other"
declared = "crewai/engine.test.ts runs a declarative project, or says which version can"
chosen = "python/test_projects.py test_one_of_several_crews_is_chosen_by_its_name"
knowledge = "python/test_projects.py test_knowledge_is_kept_where_crewai_alone_keeps_it_or_in_the_given_folder"
tools = "python/test_calls.py test_tools_answer_from_the_recording_or_run_for_real"
delegated = "crewai/calls.test.ts replays agents that ask each other"
uncovered = "python/test_calls.py test_models_that_send_in_other_ways_are_named_before_a_replay"
# Each with a test that fails without it.
uses = {
    "crewai.agents.crew_agent_executor": review,
    "crewai.agents.parser": review,
    "crewai.core.providers.human_input": console,
    "crewai.flow.flow_config": pause,
    "crewai.flow.flow_definition": pause,
    "crewai.project.crew_loader": declared,
    "crewai.utilities.constants": context,
    "crewai.rag.chromadb.": knowledge,
    "DEFAULT_STORAGE_PATH": knowledge,
    "db_storage_path": knowledge,
    "is_crew_class": chosen,
    "crewai.project.annotations": "python/test_projects.py test_the_method_of_the_crew_may_have_any_name_and_be_decorated_in_any_way",
    "BASE_URL": "crewai/worker-environment.test.ts isn't visible as such to the project",
    "fetch_inputs": "python/test_crews.py test_inputs_are_what_crewai_finds_and_what_it_fails_without",
    "calculate_usage_metrics": review,
    "_execute_tasks": "crewai/projects.test.ts and ends with a hook if the last one is skipped",
    "execute_sync": review,
    "execute_task": review,
    "create_agent_executor": review,
    "agent_executor": review,
    "_save_to_memory": review,
    "_create_short_term_memory": review,
    "_create_long_term_memory": review,
    "_create_external_memory": review,
    "_handle_human_feedback": review,
    "_guardrails": review,
    "_guardrail_retry_counts": review,
    "setup_messages": console,
    "post_setup_messages": review,
    "handle_feedback": review,
    "load_pending_feedback": pause,
    "clear_pending_feedback": "crewai/flows.test.ts runs its methods again since the last pause, or its start, after SIGKILL in their middle",
    "hitl_provider": pause,
    "input_provider": "crewai/flows.test.ts ask() has nobody to ask",
    "HumanFeedbackCollapseError": "crewai/flows.test.ts asks again if crewAI can't tell which option is meant",
    "usage_metrics": "crewai/flows.test.ts runs from @start to its pause and on to its end, with a crew inside",
    "crewai.tools.base_tool": tools,
    "_run": tools,
    "_arun": tools,
    "crewai.tools.agent_tools": delegated,
    "crewai.utilities.string_utils": "python/test_gate.py test_a_tool_is_asked_about_by_any_of_its_names",
    "crewai.tools.tool_failure": "python/test_gate.py test_a_refusal_is_not_kept_for_the_same_call",
    "max_execution_time": "python/test_gate.py test_a_tool_that_cannot_wait_is_named_before_anything_runs",
    "_current_call_id": "crewai/calls.test.ts keeps each one whole, and a recording of them replays it without a model",
    "crewai.llms.providers.": uncovered,
    "flush": "crewai/activity.test.ts reports what crewAI's own event bus does, span for span",
}


@pytest.mark.parametrize("use", uses)
def test_each_use_stands_in_the_worker_and_has_a_test(use):
    assert use in source
    file, _, name = uses[use].partition(" ")
    assert name and name in (tests / file).read_text()


def test_the_list_has_every_module_and_every_private_name():
    found = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    modules = {module for module in found if module.partition(".")[0] == "crewai"}
    private = set(re.findall(r"""[."](_[a-z]\w+)""", source)) - {"_exit"}
    assert modules | private <= documented | set(uses)
