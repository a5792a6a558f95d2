"""Asks a project's model what it thinks of an output, for a test. The calls are kept and replayed like the crew's own."""

import json
import re
from typing import Any

from crewdeck_worker.calls import Call, Calls
from crewdeck_worker.project import Project
from crewdeck_worker.protocol import AttemptCommand, Failure

# As which the service reads a grade, like the call of a tool (testing/expectations.ts).
verdict = "crewdeck:judge"
asked = """You grade a text that another model wrote. Answer the question about it with JSON only:
{"grade": a number from 0 (not at all) to 10 (fully), "reason": "one sentence"}"""


def judged(reply: dict[str, Any], project: Project, command: AttemptCommand, calls: Calls) -> dict[str, Any]:
    """@param reply of an attempt. A draft is judged once it is approved"""
    is_draft = command["isReviewed"] and not command["draft"]
    task = command["at"][0]
    for one in [] if is_draft or reply.get("refusal") else command["rules"]["judge"]:
        if one.get("task_id", task if command["isLast"] else None) == task:
            call = Call(calls, "tool", verdict, {"question": one["question"]})
            call.end(response=answered(one["question"], reply["output"], project, command["task"], calls))
    return reply


def answered(question: str, output: str, project: Project, index: int, calls: Calls) -> dict[str, Any]:
    crew = project.crew()
    model = next(agent.llm for agent in (crew.tasks[index].agent, *crew.agents) if agent and agent.llm)
    messages = [{"role": "system", "content": asked}, {"role": "user", "content": f"Question: {question}\n\nText:\n{output}"}]
    # They aren't the crew's own.
    used = list(calls.usages)
    answer = str(model.call(messages))
    calls.usages[:] = used
    found = re.search(r"\{.*\}", answer, re.DOTALL)
    try:
        given = json.loads(found[0] if found else "")
        grade = float(given["grade"])
        if not 0 <= grade <= 10:
            raise ValueError
        return {"grade": grade, "reason": str(given["reason"])}
    except (ValueError, LookupError, TypeError):
        raise Failure(f"The model that was asked for a grade answered something else: {answer[:500]}") from None
