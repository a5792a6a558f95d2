"""Calls of models and tools: kept whole, and answered by a recording."""

import asyncio
import http.server
import json
import os
import ssl
import threading
from types import SimpleNamespace

import certifi
import httpx
import pytest
from conftest import opened, version
from crewai.llms import base_llm
from crewai.tools import BaseTool, tool
from pydantic import BaseModel

from crewdeck_worker.calls import Calls, tokens_of
from crewdeck_worker.gate import Gate, no_rules
from crewdeck_worker.judge import answered
from crewdeck_worker.recording import Recording, lines_of, records_in, through_service

chat = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
events = 'data: {"choices": []}\n\ndata: {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}\n\ndata: [DONE]\n\n'


@pytest.fixture
def model():
    """An endpoint, and what it was asked. A prompt is a status, or asks for a stream, or for one that breaks off."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append(body)
            prompt = str(body.get("prompt"))
            kind, text = ("application/json", json.dumps(chat)) if prompt not in ("stream", "break") else ("text/event-stream", events)
            self.send_response(int(prompt) if prompt.isdigit() else 200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text) + (prompt == "break")))
            self.end_headers()
            self.wfile.write(text.encode())
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()


class Kept(Calls):
    """Those of one attempt, which follow each other as the service has them in a recording."""

    def __init__(self, ask=None):
        self.kept = []
        super().__init__(lambda kind, call: self.kept.append(call), Gate(ask))
        self.tap()

    def make(self, attempt, at=("one", 1), **rules):
        def made():
            attempt()
            return {"usage": "crewAI's"}

        return self.during(list(at), {**no_rules, **rules}, made)

    def record(self, file, **more):
        lines = [{"recording": 1, "crewai": version, **more}, *({"at": ["one", 1], **call} for call in self.kept)]
        file.write_text("\n".join(map(json.dumps, lines)))
        self.kept.clear()
        return {"file": str(file), "live": []}


def ask(url, prompt, client="httpx", path="/chat/completions"):
    module = __import__(client)
    with module.Client() as sender:
        return sender.post(url + path, json={"model": "m", "prompt": prompt}).text


async def ask_later(url, prompt, client):
    module = __import__(client)
    async with module.AsyncClient() as sender:
        async with sender.stream("POST", url + "/chat/completions", json={"model": "m", "prompt": prompt}) as response:
            return "".join([text async for text in response.aiter_text()])


@pytest.mark.parametrize("client", ["httpx", "httpx2"])
def test_answers_are_kept_as_they_arrive_and_replayed_in_their_order(forked, model, tmp_path, client):
    pytest.importorskip(client)
    url, asked = model

    def run():
        calls = Kept()
        calls.open([], None)
        told = []

        def attempt():
            told.append([ask(url, "a", client), ask(url, "a", client), asyncio.run(ask_later(url, "stream", client))])

        usage = calls.make(attempt)["usage"]
        live = [(call["name"], call["request"], call["status"], call["response"]) for call in calls.kept]
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        assert calls.make(attempt)["usage"] == usage
        assert told[0] == told[1]
        assert live == [(call["name"], call["request"], call["status"], call["response"]) for call in calls.kept]
        return usage, live

    usage, live = forked(run)
    assert usage == {"total_tokens": 24, "prompt_tokens": 19, "completion_tokens": 5}
    assert live[0] == ("chat/completions", {"model": "m", "prompt": "a"}, 200, chat)
    assert live[2][3] == events
    assert [each["prompt"] for each in asked] == ["a", "a", "stream"]


def test_the_certificates_are_read_once_for_all_clients_that_trust_the_same(forked, project, monkeypatch):
    agents = "[Agent(role=role, goal='b', backstory='c', llm='gpt-4o-mini') for role in 'ab']"
    text = f"from crewai import Agent, Crew, Task\n\ndef crew() -> Crew:\n    agents = {agents}\n"
    task = "Task(description='d', expected_output='e', agent=agents[0])"
    folder = project({"crew.py": f"{text}    return Crew(agents=agents, tasks=[{task}])\n"})

    def run():
        read, load = [], ssl.SSLContext.load_verify_locations
        monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *args, **more: read.append(1) or load(*args, **more))
        Kept()
        made = opened(folder, "crew.py")
        made.crew()
        made.crew()
        of_crews = len(read)
        modes = [httpx.HTTPTransport(**more)._pool._ssl_context.verify_mode for more in ({}, {"verify": False}, {})]
        before = len(read)
        httpx.Client()
        httpx.Client(trust_env=False)
        monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
        httpx.Client()
        return of_crews, modes, len(read) - before

    assert forked(run) == (1, [ssl.CERT_REQUIRED, ssl.CERT_NONE, ssl.CERT_REQUIRED], 2)


def test_no_key_is_in_what_a_tool_raises(forked):
    def run():
        calls = Kept()
        calls.open([("PLACE_KEY", "secret-1")], None)

        @tool("search")
        def search(words: str):
            """Search."""
            raise ValueError("Refused: ?key=secret-1")

        def attempt():
            with pytest.raises(ValueError):
                search.run(words="tea")

        calls.make(attempt)
        return [call["error"] for call in calls.kept]

    assert forked(run) == ["ValueError: Refused: ?key=[hidden]"]


@pytest.mark.parametrize("grade", ["11", "-1", "NaN"])
def test_a_grade_that_is_none_fails(forked, grade):
    class Model:
        def call(self, _):
            return f'{{"grade": {grade}, "reason": "It is."}}'

    def run():
        project = SimpleNamespace(crew=lambda: SimpleNamespace(tasks=[SimpleNamespace(agent=SimpleNamespace(llm=Model()))], agents=[]))
        return answered("Is it?", "Tea", project, 0, Kept())

    assert forked(run).startswith("The model that was asked for a grade answered something else")


def test_a_call_that_is_not_recorded_fails_the_attempt_with_the_difference(forked, model, tmp_path):
    url, _ = model

    def run():
        calls = Kept()
        calls.open([], None)
        calls.make(lambda: ask(url, "Write about tea.\nIn one line."))
        calls.open([], calls.record(tmp_path / "poem.recording.jsonl", crewai="1.14.7"))
        return calls.make(lambda: ask(url, "Write about tea.\nIn two lines."))

    message = forked(run)
    assert message.startswith("The recording poem.recording.jsonl has no such call of the model. It was recorded with crewAI 1.14.7, and this is ")
    assert message.endswith('-In one line."\n+In two lines."\n }')
    assert lines_of({"temperature": 1.0}) == lines_of(through_service({"temperature": 1.0})) == lines_of({"temperature": 1})


def test_only_the_first_difference_is_looked_for(forked, model, tmp_path, monkeypatch):
    url, _ = model

    def run():
        calls, looked = Kept(), []
        monkeypatch.setattr(Recording, "explain_miss", lambda *_: looked.append(1) or "None")
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        with pytest.raises(Exception, match="None"):
            calls.make(lambda: [ask(url, "a"), ask(url, "b")])
        return len(looked)

    assert forked(run) == 1


def test_no_request_leaves_where_nothing_like_it_is_recorded(forked, model, tmp_path):
    url, _ = model

    def run():
        calls = Kept()
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        texts = []
        try:
            calls.make(lambda: texts.append(ask("http://127.0.0.1:1/v1", "a")))
        except Exception as error:
            return str(error), texts

    message, [text] = forked(run)
    assert message == "The recording r.jsonl has no call of the model. Record again to keep this one."
    assert json.loads(text) == {"error": {"message": "Crewdeck: not recorded"}}


@pytest.mark.parametrize("path", ["/responses/input_tokens", "/messages/count_tokens"])
def test_a_count_of_tokens_does_not_leave_and_need_not_be_recorded(forked, model, tmp_path, path):
    url, asked = model

    def run():
        calls = Kept()
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        return calls.make(lambda: ask(url, "a", path=path))

    assert forked(run) == {"usage": "crewAI's"}
    assert asked == []


def test_a_recording_that_cannot_be_read_is_said(forked, tmp_path):
    def run(text):
        (tmp_path / "r.jsonl").write_text(text)
        Kept().open([], {"file": str(tmp_path / "r.jsonl"), "live": []})

    for text in ("", "{", '{"recording": 1}', '{"crewai": "1"}\n{"key": "a"', '{"crewai": "1"}\n{"at": {"lines": 2}}\n"a"'):
        assert "can't be read" in forked(lambda: run(text))


def test_tools_answer_from_the_recording_or_run_for_real(forked, tmp_path):
    def run():
        calls = Kept()
        calls.open([], None)
        ran = []

        @tool("mail")
        def mail(to: str) -> str:
            """Sends one."""
            ran.append(to)
            return f"sent {len(ran)}"

        @tool("later")
        async def later(to: str) -> dict:
            """Sends one."""
            ran.append(to)
            return {"to": to}

        class Look(BaseTool):
            name: str = "look"
            description: str = "Looks."

            def _run(self, at: str) -> str:
                ran.append(at)
                raise ValueError(f"nothing at {at}")

        look = Look()

        def attempt():
            told.append([mail.run(to="a"), mail.to_structured_tool().invoke({"to": "a"}), later.run(to="b")])
            with pytest.raises(Exception, match="nothing at c"):
                look.run(at="c")

        told = []
        calls.make(attempt)
        replay = calls.record(tmp_path / "r.jsonl")
        calls.open([], replay)
        calls.make(attempt)
        once = list(ran)
        # By any of its names.
        calls.open([], {**replay, "live": ["Later"]})
        calls.make(attempt)
        by_name = list(ran)
        calls.open([], {**replay, "live": "live"})
        calls.make(attempt)
        return told[:3], once, by_name, ran

    told, once, by_name, ran = forked(run)
    assert told == [["sent 1", "sent 2", {"to": "b"}]] * 3
    assert once == ["a", "a", "b", "c"]
    assert by_name == [*once, "b"]
    assert ran == [*by_name, *once]


class Place(BaseModel):
    at: float = 2.0


@pytest.mark.parametrize("result", [2.0, [1.0, 2.5], (1, 2), {1: "a"}, {"id": 1234567890123456789}, True, None, 0.1, "x", Place()])
def test_an_agent_reads_the_same_of_a_replayed_result_as_of_a_live_one(forked, tmp_path, result):
    def run():
        calls = Kept()
        calls.open([], None)

        @tool("typed")
        def typed() -> Place:
            """Returns it."""
            return result

        @tool("any")
        def untyped():
            """Returns it."""
            return result

        def attempt():
            read.append([getattr(one, "format_output_for_agent", str)(one.run()) for one in (typed, untyped)])

        read = []
        calls.make(attempt)
        calls.kept = [through_service(call) for call in calls.kept]
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        calls.make(attempt)
        return read

    live, replayed = forked(run)
    assert live == replayed


def test_what_a_tool_raises_reads_the_same_in_a_replay(forked, tmp_path):
    def run():
        calls, raised = Kept(), []
        calls.open([], None)

        @tool("fetch")
        def fetch(what: str):
            """Fetches."""
            raise KeyError(what)

        def attempt(what="tea"):
            try:
                fetch.run(what=what)
            except Exception as error:
                raised.append((str(error), type(error).__name__))

        calls.make(lambda: attempt("x" * 600_000))
        (long,) = calls.kept
        calls.kept.clear()
        calls.make(attempt)
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        calls.make(attempt)
        return raised[1:], long["isCut"], len(long["error"])

    assert forked(run) == ([("'tea'", "KeyError")] * 2, True, 500_000)


def test_an_answer_that_breaks_off_is_an_error(forked, model):
    url, _ = model

    def run():
        calls = Kept()

        def attempt():
            with pytest.raises(httpx.HTTPError):
                ask(url, "break")

        calls.make(attempt)
        ((call,),) = [calls.kept]
        return call["response"], call.get("status"), call["error"].partition(":")[0]

    assert forked(run) == (events, None, "RemoteProtocolError")


def test_what_a_model_sends_elsewhere_does_not_leave_in_a_replay(forked, model, tmp_path):
    url, asked = model

    def run():
        calls = Kept()
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        base_llm._current_call_id.set("a")
        return calls.make(lambda: ask(url, "a", path="/api/generate"))

    if hasattr(base_llm, "_current_call_id"):
        assert forked(run).startswith("A model sends a request to /v1/api/generate, which can't be replayed")
        assert asked == []


def test_libraries_send_by_httpx_and_have_a_key_in_a_replay(forked, tmp_path):
    def run():
        calls = Kept()
        calls.open([], calls.record(tmp_path / "r.jsonl", keys=["A_KEY", "OPENAI_API_KEY"]))
        return [os.environ[name] for name in ("DISABLE_AIOHTTP_TRANSPORT", "A_KEY", "OPENAI_API_KEY")]

    assert forked(run) == ["True", "replay", "key"]


def test_secrets_of_the_project_are_in_no_call(forked, model, monkeypatch):
    url, _ = model
    monkeypatch.setenv("MAIL_TOKEN", "tok-en-1")

    def run():
        calls = Kept()
        calls.open([("STATION", "Blindern"), ("OPENAI_MODEL_NAME", "gpt-4o-mini")], None)
        calls.make(lambda: ask(url, "gpt-4o-mini at Blindern with tok-en-1"))
        return calls.kept[0]["request"]["prompt"]

    assert forked(run) == "gpt-4o-mini at [hidden] with [hidden]"


def test_a_long_call_is_cut(forked, model):
    url, _ = model

    def run():
        calls = Kept()
        calls.make(lambda: ask(url, "a" * 600_000))
        return calls.kept[0]

    call = forked(run)
    assert call["isCut"] and len(call["request"]) == 500_000 and call["response"] == chat


def test_models_that_send_in_other_ways_are_named_before_a_replay(forked, project, tmp_path):
    folder = project(
        {
            "crew.py": """
from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM

class Own(BaseLLM):
    def call(self, *_, **__):
        return "a"

agent = Agent(role="a", goal="b", backstory="c", llm=Own(model="own"))
crew = Crew(agents=[agent], tasks=[Task(description="d", expected_output="e", agent=agent)])
"""
        }
    )

    def run(in_crew):
        calls = Kept()
        project = opened(folder, "crew.py")
        calls.check(project.crew())
        calls.open([], calls.record(tmp_path / "r.jsonl"))
        # A flow may call it itself.
        return calls.check(project.crew()) if in_crew else calls.make(lambda: project.crew().agents[0].llm.call("a"))

    for in_crew in (True, False):
        assert forked(lambda: run(in_crew)) == "Calls of Own can't be replayed: only those of models that send their requests by httpx."


@pytest.mark.parametrize(
    "answer, tokens",
    [
        ({"usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}}, (7, 5)),
        ({"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5, "thoughtsTokenCount": 2}}, (3, 7)),
        (
            'event: message_start\ndata: {"message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}\n\n'
            'data: {"usage": {"output_tokens": 5}}\n',
            (3, 5),
        ),
        ('data: {"response": {"usage": {"input_tokens": 3, "output_tokens": 5}}}', (3, 5)),
        ({"usage": {"prompt_tokens": 7, "cache_read_input_tokens": 4, "completion_tokens": 5, "output_tokens": 5}}, (7, 5)),
        ("Bad gateway", (0, 0)),
        (None, (0, 0)),
    ],
)
def test_tokens_are_those_that_the_model_tells(answer, tokens):
    assert tokens_of(answer) == tokens


def test_a_text_of_several_lines_is_read_from_its_lines():
    lines = ['{"a": {"lines": 2}, "b": [{"lines": 3}]}', '"x"', '"\\"y\\""', '""', '""', '"z"', '{"c": 1}']
    assert list(records_in(lines)) == [{"a": 'x\n"y"', "b": ["\n\nz"]}, {"c": 1}]


def test_a_recording_may_have_any_characters_and_names(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"crewai": "1"}\n{"key": "a\u2028\x85", "request": {"lines": [{"lines": ["b"]}]}}\n', encoding="utf-8")
    recording = Recording({"file": str(tmp_path / "r.jsonl"), "live": []})
    assert recording.by_key["a\u2028\x85"][0]["request"] == {"lines": {"lines": "b"}}
