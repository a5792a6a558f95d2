"""Calls that wait for a person: of tools that are asked about, and of models when a budget is used up."""

import asyncio

import pytest
from conftest import opened
from crewai.agents.cache.cache_handler import CacheHandler
from crewai.tools import BaseTool, tool
from test_calls import Kept, ask, ask_later, model  # noqa: F401

from crewdeck_worker.calls import Call
from crewdeck_worker.gate import Gate, is_tapped, no_rules, price_of

yes = {"isApprove": True, "isForRun": False, "words": ""}
no = {**yes, "isApprove": False, "words": "Not today."}
words = "A person refused this call. They say: Not today."


def told(result):
    return getattr(result, "message", result)


def test_a_tool_runs_only_as_a_person_allows(forked):
    def run():
        asked, ran, answers = [], [], [yes, no, no, {**yes, "isForRun": True}]

        def answer(question):
            asked.append(question)
            return answers.pop(0)

        @tool("Send mail")
        def mail(to: str) -> str:
            """Sends one."""
            ran.append(to)
            return "sent"

        @tool("free")
        def free() -> str:
            """Needs nobody."""
            return "done"

        calls = Kept(answer)
        mail, free = (tool(name)(each.func) for name, each in (("Send mail", mail), ("free", free)))

        def attempt():
            results = [mail.run(to="a"), mail.to_structured_tool().invoke({"to": "b"}), mail.run(to="b")]
            results += [mail.run(to="c"), mail.run(to="d"), free.run()]
            said.extend(map(told, results))

        said = []
        calls.make(attempt, ask=["send_mail"])
        return said, ran, asked, [call["response"] for call in calls.kept]

    said, ran, asked, kept = forked(run)
    assert said == kept == ["sent", words, words, "sent", "sent", "done"]
    assert ran == ["a", "c", "d"]
    assert asked == [{"kind": "tool", "tool": "Send mail", "arguments": {"to": to}} for to in "abbc"]


def test_a_project_that_clears_crewais_hooks_takes_no_question_away(forked, model):  # noqa: F811
    hooks = pytest.importorskip("crewai.hooks")
    url, _ = model

    def run():
        asked, ran = [], []
        calls = Kept(lambda question: asked.append(question["kind"]) or no)

        @tool("mail")
        def mail(to: str) -> str:
            """Sends one."""
            ran.append(to)
            return "sent"

        def attempt():
            hooks.clear_all_global_hooks()
            mail.run(to="a")
            mail.to_structured_tool().invoke({"to": "b"})
            ask(url, "a")

        calls.make(attempt, ask=["mail"], limits={"tokens": 1}, used=[["m", 1, 0]])
        return asked, ran

    assert forked(run) == (["tool", "tool", "budget"], [])


def test_a_fault_while_a_person_is_asked_refuses_the_call(forked):
    def run():
        ran = []

        def fail(question):
            raise OSError("no pipe")

        calls = Kept(fail)

        @tool("mail")
        def mail(to: str) -> str:
            """Sends one."""
            ran.append(to)
            return "sent"

        said = []
        calls.make(lambda: said.append(told(mail.run(to="a"))), ask=["*"])
        return said, ran

    assert forked(run) == (["This call was refused, because nobody could be asked about it (OSError: no pipe)."], [])


def test_an_asynchronous_tool_waits_without_holding_others_up(forked):
    def run():
        order = []

        def answer(question):
            asyncio.run_coroutine_threadsafe(other(), loop).result(10)
            return yes

        async def other():
            order.append("other")

        calls = Kept(answer)

        class Later(BaseTool):
            name: str = "later"
            description: str = "Later."

            def _run(self):
                return "now"

            async def _arun(self):
                order.append("ran")
                return "later"

        async def both():
            nonlocal loop
            loop = asyncio.get_running_loop()
            return await Later()._arun()

        loop, said = None, []
        calls.make(lambda: said.append(asyncio.run(both())), ask=["later"])
        return said, order

    assert forked(run) == (["later"], ["other", "ran"])


def test_a_replay_asks_nobody_but_for_tools_that_run(forked, tmp_path):
    def run():
        asked = []

        def answer(question):
            asked.append(question["tool"])
            return yes

        calls = Kept(answer)

        @tool("mail")
        def mail(to: str) -> str:
            """Sends one."""
            return "sent"

        def attempt():
            mail.run(to="a")

        calls.make(attempt)
        replay = calls.record(tmp_path / "r.jsonl")
        for live in ([], ["mail"]):
            calls.open([], {**replay, "live": live})
            calls.make(attempt, ask=["*"])
        return asked

    assert forked(run) == ["mail"]


own_way = """
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool

class Mail(BaseTool):
    name: str = "mail"
    description: str = "Sends one."

    def _run(self):
        return "sent"

class Own(Mail):
    def run(self):
        return "sent"

def make(kind) -> Crew:
    agent = Agent(role="a", goal="b", backstory="c", llm="gpt-4o-mini", tools=[kind()], max_execution_time=5)
    return Crew(agents=[agent], tasks=[Task(description="d", expected_output="e", agent=agent)])

def crew() -> Crew:
    return make(Own)

def other() -> Crew:
    return make(Mail)
"""


class Post(BaseTool):
    name: str = "mail"
    description: str = "Sends one."
    place: str = "Oslo"

    def _run(self, to: str) -> str:
        return f"sent from {self.place}"


class Later(Post):
    def _run(self, to: str) -> str:
        return f"{super()._run(to)} later"


def test_a_copied_tool_is_itself_and_is_asked_about_by_its_own_name(forked):
    @tool("mail")
    def made(to: str) -> str:
        """Sends one."""
        return "sent from Oslo"

    def run():
        asked = []
        calls = Kept(lambda question: asked.append(question["tool"]) or no)
        post, later, other = Post(), Later(), tool("mail")(made.func)
        here = post.model_copy(update={"name": "post", "place": "Bergen"})
        other.name = "post"
        said = []
        calls.make(lambda: said.extend(one.run(to="a") for one in (post, later, here, made)))
        calls.make(lambda: said.extend(told(one.run(to="a")) for one in (post, here, other)), ask=["post"])
        kept = [(call["name"], call["response"]) for call in calls.kept]
        return said, kept, asked, is_tapped(here), is_tapped(other.model_copy(update={"name": "letter"}))

    said, kept, asked, *tapped = forked(run)
    lives = ["sent from Oslo", "sent from Oslo later", "sent from Bergen", "sent from Oslo"]
    assert said == [*lives, "sent from Oslo", words, words]
    assert kept == [("mail", "sent from Oslo"), ("mail", "sent from Oslo later"), ("post", "sent from Bergen"), *kept[3:]]
    assert asked == ["post", "post"]
    assert tapped == [True, False]


def test_a_crew_that_a_flow_starts_is_checked_first(forked, project):
    folder = project({"crew.py": own_way})

    def run():
        return Kept(None).make(lambda: opened(folder, "crew.py", "crew").crew().kickoff(), ask=["mail"])

    assert forked(run).startswith('Calls of the tool "mail" can\'t wait for a person: Own has its own way to run.')


def test_a_tool_that_a_replay_would_run_is_named_before_anything_runs(forked, project, tmp_path):
    folder = project({"crew.py": own_way})

    def run(live):
        calls = Kept(None)
        calls.open([], {**calls.record(tmp_path / "r.jsonl"), "live": live})
        return calls.check(opened(folder, "crew.py", "crew").crew())

    assert forked(lambda: run([])).startswith('Calls of the tool "mail" can\'t be replayed: Own has its own way to run.')
    assert forked(lambda: run(["mail"])) is None


def test_a_tool_that_cannot_wait_is_named_before_anything_runs(forked, project, capfd):
    folder = project({"crew.py": own_way})

    def run(name, asked):
        calls = Kept()
        crew = opened(folder, "crew.py", name).crew()
        calls.gate.open({**no_rules, "ask": asked})
        calls.check(crew)
        return crew.agents[0].max_execution_time

    assert forked(lambda: run("crew", ["other"])) is None
    assert "No agent has the tool other, whose calls are to wait for a person. Others are: mail." in capfd.readouterr().out
    assert forked(lambda: run("crew", ["*"])).startswith('Calls of the tool "mail" can\'t wait for a person: Own has its own way to run.')
    assert forked(lambda: run("other", ["*"])) is None


def test_a_refusal_is_not_kept_for_the_same_call(forked, tmp_path):
    def run():
        calls = Kept(lambda question: no)
        cache = CacheHandler()

        @tool("mail")
        def mail(to: str) -> str:
            """Sends one."""
            return "sent"

        results = []
        calls.make(lambda: results.append(mail.run(to="a")), ask=["mail"])
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        calls.make(lambda: results.append(mail.run(to="a")))
        for at, result in enumerate([*results, "sent"]):
            if mail.cache_function({}, result):
                cache.add("mail", str(at), result)
        return list(map(told, results)), [cache.read("mail", str(at)) for at in range(3)]

    assert forked(run) == ([words, words], [None, None, "sent"])


@pytest.mark.parametrize("limits", [{"tokens": 9}, {"dollars": 9e-6, "prices": {"*": {"input": 1, "output": 1}}}])
def test_a_budget_holds_the_next_call_of_a_model_until_a_person_gives_more(forked, model, limits):  # noqa: F811
    url, asked = model

    def run():
        questions = []

        def answer(question):
            questions.append((question, sent[0]))
            return yes

        calls, sent = Kept(answer), [0]

        def attempt():
            for prompt in ("a", "b", "stream"):
                ask(url, prompt)
                sent[0] += 1
            asyncio.run(ask_later(url, "a", "httpx"))

        # What was used before counts, too.
        calls.make(attempt, limits=limits, used=[["m", 1, 0]])
        return questions

    spent = [10, 19, 34]
    dollars = [each / 1e6 if "prices" in limits else 0.0 for each in spent]
    found = forked(run)
    # 9 tokens a call; a stream has 6.
    assert [sent for _, sent in found] == [1, 2]
    assert [(each["kind"], each["tokens"], each["dollars"]) for each, _ in found] == [("budget", spent[at], dollars[at]) for at in (0, 1)]


def test_a_model_that_tells_no_tokens_is_estimated_for_a_budget(forked, model):  # noqa: F811
    url, _ = model

    def run():
        calls = Kept(lambda question: asked.append(question["tokens"]) or yes)
        asked = []
        calls.gate.open({**no_rules, "limits": {"tokens": 5}})
        from crewdeck_worker.calls import Call

        Call(calls, "model", "chat/completions", {"prompt": "a" * 100}).end(status=200, response="no tokens here")
        Call(calls, "model", "chat/completions", {"prompt": "a" * 100}).end(status=500, response="broken")
        calls.gate.wait_for_budget()
        # The next attempt counts it, too.
        return asked, [sum(call["estimate"].values()) for call in calls.kept if "estimate" in call]

    (estimate,), kept = forked(run)
    assert 20 < estimate < 60
    assert kept == [estimate]


@pytest.mark.parametrize(
    "name, asked, model",
    [("chat/completions", {"model": "m"}, "m"), ("models/gemini-2.5-flash:streamGenerateContent", {}, "gemini-2.5-flash")],
)
def test_a_call_names_its_model(forked, name, asked, model):
    def run():
        calls = Kept()
        Call(calls, "model", name, asked).end(status=200, response="Hi")
        return [call["model"] for call in calls.kept]

    assert forked(run) == [model]


@pytest.mark.parametrize("given", ["SendMail", "send_mail", "Send mail", "sendMail", "Sénd-Mail"])
def test_a_tool_is_asked_about_by_any_of_its_names(given):
    gate = Gate(lambda question: no)
    gate.open({**no_rules, "ask": [given]})
    assert [gate.asks(name) for name in ("SendMail", "send_mail", "Send mail", "mail", "")] == [True, True, True, False, False]


def test_tools_whose_names_have_no_latin_letters_differ():
    gate = Gate(lambda question: no)
    gate.open({**no_rules, "ask": ["发送"]})
    assert (gate.asks("发送"), gate.asks("删除")) == (True, False)


def test_models_that_are_not_seen_have_no_budget(forked, project):
    own = own_way.replace('"gpt-4o-mini"', 'Model(model="own")') + "\n"
    own = own.replace(
        "def make", "from crewai.llms.base_llm import BaseLLM\nclass Model(BaseLLM):\n    def call(self, *_, **__):\n        return 'a'\n\ndef make", 1
    )
    folder = project({"crew.py": own})

    def run():
        calls = Kept()
        calls.gate.open({**no_rules, "limits": {"tokens": 5}})
        calls.check(opened(folder, "crew.py", "other").crew())

    assert forked(run) == "Calls of Model can't be held to a budget: only those of models that send their requests by httpx."


@pytest.mark.parametrize(
    "model, price",
    [("openai/GPT-4o", 2), ("gpt-4o-mini", 3), ("o[1]", 4), ("o1", 1), ("", 1)],
)
def test_the_longest_pattern_that_fits_is_the_price(model, price):  # noqa: F811
    prices = {"*": 1, "gpt-4o": 2, "gpt-4o-*": 3, "O[1]": 4}
    found = price_of(model, {name: {"input": each, "output": each} for name, each in prices.items()})
    assert found == {"input": price, "output": price}


def test_nobody_is_asked_without_rules():
    gate = Gate(None)
    assert not gate.asks("mail") and not gate.is_over and gate.refusal("mail", {}) is None
