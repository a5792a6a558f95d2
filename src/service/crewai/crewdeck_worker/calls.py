"""Keeps each call of a model and of a tool whole, and in a replay answers it as it was recorded.

Calls of models are seen below the providers' own libraries, at the transports of httpx, which all but a few use; calls of tools
where crewAI makes a tool.
"""

import asyncio
import contextlib
import functools
import importlib
import importlib.util
import inspect
import json
import os
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.metadata import version
from typing import Any

from crewai import Crew
from crewai.llms import base_llm
from crewai.tools import BaseTool
from crewai.tools.base_tool import Tool

from crewdeck_worker.gate import Gate, characters_per_token, check_tapped, is_failure, keep_no_refusals, methods_of, refused
from crewdeck_worker.protocol import Failure, Replay, Rules
from crewdeck_worker.recording import Recording, key_of, through_service

crewai_version = version("crewai")
# httpx, and what newer libraries of providers use in its place.
clients = ("httpx", "httpx2")
# How the paths of requests to models end: of OpenAI and those compatible with it, of Anthropic, and of Google.
model_path = re.compile(
    r"/(chat/completions|responses(?:/input_tokens)?|embeddings|messages(?:/count_tokens)?"
    r"|models/[^/]+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents))$"
)
covered_paths = "only those to chat/completions, responses, embeddings, messages and Google's"
# Where models are defined; and of those, which send their requests in other ways.
covered = ("crewai.", "crewdeck_worker.")
uncovered = ("crewai.llms.providers.bedrock", "crewai.llms.providers.azure")
# crewAI's own tools that ask other agents, whose calls are answered.
asking = "crewai.tools.agent_tools"
# Values that no recording may have: of these variables, and of the project's `.env` but for names of models.
secret_name = re.compile(r"(key|token|secret|password)$", re.IGNORECASE)
model_name = re.compile(r"(^|_)MODEL(_NAME)?$", re.IGNORECASE)
shortest_secret = 6
# The type of a tool's answer that crewAI neither caches nor takes for the agent's own.
failure = "failure"
# Characters of a call's request and of its answer.
longest_part = 500_000
# What libraries name a model's tokens: of OpenAI, Anthropic, which doesn't count those from its cache as input, and Google. Of a gateway that
# has names of several, those of one count.
prompt_names = (("prompt_tokens",), ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), ("promptTokenCount",))
completion_names = (("completion_tokens",), ("output_tokens",), ("candidatesTokenCount", "thoughtsTokenCount"))


class Calls:
    def __init__(self, reply: Callable[..., None], gate: Gate) -> None:
        self.reply = reply
        self.gate = gate
        self.recording: Recording | None = None
        self.secrets: list[str] = []
        # Of the project's `.env`.
        self.keys: list[str] = []
        # The task's name and the number of the attempt.
        self.at: object = None
        self.misses: list[str] = []
        self.usages: list[tuple[int, int]] = []
        # Those that are checked.
        self.known: list[Crew] = []

    def open(self, variables: list[tuple[str, str]], replay: Replay | None) -> None:
        """@param variables of the project's `.env`"""
        found = [value for name, value in variables if not model_name.search(name)]
        found += [value for name, value in os.environ.items() if secret_name.search(name)]
        # The longest first: one may contain another.
        self.secrets = sorted({value for value in found if len(value) >= shortest_secret}, key=len, reverse=True)
        self.keys = sorted({name for name, _ in variables if secret_name.search(name)})
        self.recording = Recording(replay) if replay else None
        if self.recording:
            # A clone of the project has no `.env`. Without a key, providers' libraries refuse to begin.
            for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", *self.recording.keys):
                os.environ.setdefault(name, "replay")
            # The project may name another model than the one that was chosen for the recorded execution.
            os.environ.update(self.recording.variables)

    def hidden(self, value: Any) -> Any:
        """Without secrets, also when it is compared with a recording."""
        if isinstance(value, str):
            return functools.reduce(lambda text, secret: text.replace(secret, "[hidden]"), self.secrets, value)
        if isinstance(value, list):
            return [self.hidden(each) for each in value]
        return {name: self.hidden(each) for name, each in value.items()} if isinstance(value, dict) else value

    def during(self, at: object, rules: Rules, attempt: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Makes an attempt. Its tokens are those of its calls: crewAI counts a shared model once for each agent, and leaves out planning."""
        self.at, self.misses, self.usages, self.known = at, [], [], []
        self.gate.open(rules)
        try:
            reply = attempt()
        except BaseException:
            if self.misses:
                raise Failure(self.misses[0]) from None
            raise
        # crewAI may go on without an answer.
        if self.misses:
            raise Failure(self.misses[0])
        prompt, completion = (sum(tokens) for tokens in zip((0, 0), *self.usages))
        if completion:
            reply["usage"] = {"total_tokens": prompt + completion, "prompt_tokens": prompt, "completion_tokens": completion}
        return reply

    def check(self, crew: Crew) -> None:
        """Before a replay, no request of its models may leave, and no tool may run; with a budget, each call of a model must be seen."""
        self.known.append(crew)
        self.gate.check(crew)
        recording = self.recording
        if recording:
            check_tapped(crew, "can't be replayed", lambda tool: not recording.is_live(tool))
        names = ("llm", "function_calling_llm", "manager_llm", "planning_llm")
        owners = [crew, *crew.agents, *([crew.manager_agent] if crew.manager_agent else [])]
        for model in (getattr(owner, name, None) for owner in owners for name in names):
            if isinstance(model, base_llm.BaseLLM):
                self.check_model(type(model))

    def check_model(self, kind: type) -> None:
        if (self.recording or self.gate.limits) and not is_covered(kind):
            what = "can't be replayed" if self.recording else "can't be held to a budget"
            self.misses.append(f"Calls of {kind.__name__} {what}: only those of models that send their requests by httpx.")
            raise Failure(self.misses[-1])

    def tap(self) -> None:
        """From now on. A project that is imported later may make tools."""
        # LiteLLM then sends by httpx, too.
        os.environ["DISABLE_AIOHTTP_TRANSPORT"] = "True"
        for client in filter(importlib.util.find_spec, clients):
            self.tap_client(importlib.import_module(client))
        self.tap_models()
        make = BaseTool.__init__
        known = set[type]()

        @functools.wraps(make)
        def made(tool: Any, /, *args: Any, **kwargs: Any) -> None:
            kind = type(tool)
            if kind not in known:
                known.add(kind)
                # Of the kind: that of a tool would be the same for its copies.
                for name in methods_of(kind):
                    setattr(kind, name, self.tapped(kind, getattr(kind, name)))
            make(tool, *args, **kwargs)
            if isinstance(tool, Tool):
                object.__setattr__(tool, "func", self.tapped(kind, tool.func, tool))
            keep_no_refusals(tool)

        setattr(BaseTool, "__init__", made)
        for name in filter(functools.partial(hasattr, Crew), ("kickoff", "akickoff")):
            setattr(Crew, name, self.checked(getattr(Crew, name)))

    def checked(self, kickoff: Callable[..., Any]) -> Callable[..., Any]:
        """For crews that flows and tools start."""

        @functools.wraps(kickoff)
        def start(crew: Crew, *args: Any, **kwargs: Any) -> Any:
            if not any(one is crew for one in self.known):
                self.check(crew)
            return kickoff(crew, *args, **kwargs)

        return start

    def tap_models(self) -> None:
        """Those that a flow or a tool makes are in no crew that is checked."""
        make = base_llm.BaseLLM.__init__
        known = set[type]()

        def checked(kind: type, function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def call(*args: Any, **kwargs: Any) -> Any:
                self.check_model(kind)
                return function(*args, **kwargs)

            return call

        @functools.wraps(make)
        def made(one: Any, /, *args: Any, **kwargs: Any) -> None:
            kind = type(one)
            if not is_covered(kind) and kind not in known:
                known.add(kind)
                for name in ("call", "acall"):
                    if hasattr(kind, name):
                        setattr(kind, name, checked(kind, getattr(kind, name)))
            make(one, *args, **kwargs)

        setattr(base_llm.BaseLLM, "__init__", made)

    def tap_client(self, client: Any) -> None:
        share_certificates(client)
        send, asend = client.HTTPTransport.handle_request, client.AsyncHTTPTransport.handle_async_request

        def begin(request: Any) -> Call | None:
            found = model_path.search(request.url.path) if request.method == "POST" else None
            return Call(self, "model", found[1], json_of(request.content.decode("utf-8", "replace"))) if found else None

        def is_over(call: Call) -> bool:
            return call.counts and self.gate.is_over

        def refused(request: Any) -> Any:
            """In a replay, what a model sends to addresses that aren't recorded."""
            if not (self.recording and request.method == "POST" and current_call()):
                return None
            self.misses.append(f"A model sends a request to {request.url.path}, which can't be replayed: {covered_paths}.")
            return answered(None)

        def replayed(call: Call) -> Any:
            return answered(call.recorded())

        def answered(found: dict[str, Any] | None) -> Any:
            answer = found or {"status": 400, "type": "application/json", "response": {"error": {"message": "Crewdeck: not recorded"}}}
            text = answer["response"]
            content = (text if isinstance(text, str) else json.dumps(text)).encode()
            headers = {"content-type": answer["type"], "x-should-retry": "false"}
            return client.Response(answer["status"], headers=headers, content=content)

        def live(call: Call, response: Any) -> Any:
            """Keeps what the crew reads, as it arrives."""
            stream, chunks = response.stream, list[bytes]()

            def done(**problem: str) -> None:
                encoding = {"content-encoding": response.headers.get("content-encoding", "identity")}
                try:
                    text = client.Response(200, headers=encoding, content=b"".join(chunks)).content.decode("utf-8", "replace")
                except client.DecodingError:  # It is incomplete.
                    text = ""
                how = problem or {"status": response.status_code, "type": response.headers.get("content-type", "")}
                call.end(response=json_of(text), **how)

            @contextlib.contextmanager
            def reading() -> Iterator[None]:
                try:
                    yield
                except GeneratorExit:  # The crew reads no more.
                    raise
                except BaseException as error:
                    done(error=f"{type(error).__name__}: {error}")
                    raise

            class Kept(client.SyncByteStream, client.AsyncByteStream):
                def __iter__(self) -> Iterator[bytes]:
                    with reading():
                        for chunk in stream:
                            chunks.append(chunk)
                            yield chunk

                async def __aiter__(self) -> AsyncIterator[bytes]:
                    with reading():
                        async for chunk in stream:
                            chunks.append(chunk)
                            yield chunk

                def close(self) -> None:
                    stream.close()
                    done()

                async def aclose(self) -> None:
                    await stream.aclose()
                    done()

            response.stream = Kept()
            return response

        def handle_request(transport: Any, request: Any) -> Any:
            request.read()
            call = begin(request)
            if call is None:
                return refused(request) or send(transport, request)
            if self.recording:
                return replayed(call)
            if is_over(call):
                self.gate.wait_for_budget()
            with call:
                return live(call, send(transport, request))

        async def handle_async_request(transport: Any, request: Any) -> Any:
            await request.aread()
            call = begin(request)
            if call is None:
                return refused(request) or await asend(transport, request)
            if self.recording:
                return replayed(call)
            if is_over(call):
                await asyncio.to_thread(self.gate.wait_for_budget)
            with call:
                return live(call, await asend(transport, request))

        client.HTTPTransport.handle_request = handle_request
        client.AsyncHTTPTransport.handle_async_request = handle_async_request

    def tapped(self, kind: type, function: Callable[..., Any], owner: BaseTool | None = None) -> Callable[..., Any]:
        """@param owner of the function; without one, it is a method of the kind"""
        # Whether its calls are reported and replayed.
        is_kept = not kind.__module__.startswith(asking)

        def begun(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
            tool, more = (owner, args) if owner else (args[0], args[1:])
            return tool, {**kwargs, **({"args": more} if more else {})}

        def is_inherited(args: tuple[Any, ...]) -> bool:
            """Whether the method of a kind that derives from this one calls it."""
            return owner is None and type(args[0]) is not kind

        def asks(tool: str) -> bool:
            """Not where nothing runs."""
            return self.gate.asks(tool) and (self.recording is None or (is_kept and self.recording.is_live(tool)))

        def kept(call: Call, tool: Any, result: Any) -> Any:
            call.end(response=kept_result(tool, result), type=failure if is_failure(result) else None)
            return result

        async def later(call: Call, tool: Any, result: Any) -> Any:
            with call:
                return kept(call, tool, await result)

        def go(args: tuple[Any, ...], kwargs: dict[str, Any], refusal: Any) -> Any:
            if not is_kept:
                return function(*args, **kwargs) if refusal is None else refusal
            tool, given = begun(args, kwargs)
            call = Call(self, "tool", tool.name, given)
            if refusal is not None:
                return kept(call, tool, refusal)
            if self.recording and not self.recording.is_live(tool.name):
                return call.replayed()
            with call:
                result = function(*args, **kwargs)
                return later(call, tool, result) if inspect.isawaitable(result) else kept(call, tool, result)

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if is_inherited(args):
                return function(*args, **kwargs)
            tool, given = begun(args, kwargs)
            return go(args, kwargs, self.gate.refusal(tool.name, self.hidden(plain(given))) if asks(tool.name) else None)

        @functools.wraps(function)
        async def arun(*args: Any, **kwargs: Any) -> Any:
            if is_inherited(args):
                return await function(*args, **kwargs)
            tool, given = begun(args, kwargs)
            shown = self.hidden(plain(given)) if asks(tool.name) else None
            refusal = None if shown is None else await asyncio.to_thread(self.gate.refusal, tool.name, shown)
            result = go(args, kwargs, refusal)
            return await result if inspect.isawaitable(result) else result

        made = arun if inspect.iscoroutinefunction(function) else run
        setattr(made, "tapped_for", owner or kind)
        return made


def is_covered(model: type) -> bool:
    return model.__module__.startswith(covered) and not model.__module__.startswith(uncovered)


def share_certificates(client: Any) -> None:
    """Between all that verify servers in the same way: crewAI makes two clients for each agent in each attempt, and each would read them all."""

    @functools.cache
    def context(trust_env: bool, *_: object) -> Any:
        return client.create_ssl_context(verify=True, trust_env=trust_env)

    def sharing(make: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(make)
        def made(transport: Any, *args: Any, **kwargs: Any) -> None:
            if not args and kwargs.get("verify", True) is True and not kwargs.get("cert"):
                # A project may replace the first two. A connection writes the protocols into the context.
                how = (ssl.SSLContext, ssl.create_default_context, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
                protocols = (kwargs.get("http1", True), kwargs.get("http2", False))
                kwargs["verify"] = context(kwargs.get("trust_env", True), *how, *protocols)
            make(transport, *args, **kwargs)

        return made

    for transport in (client.HTTPTransport, client.AsyncHTTPTransport):
        transport.__init__ = sharing(transport.__init__)


class Call:
    """One call, from its request to its answer. As a context: reports what it raises."""

    def __init__(self, calls: Calls, kind: str, name: str, request: Any) -> None:
        self.calls, self.kind, self.name, self.request = calls, kind, name, calls.hidden(plain(request))
        self.key = key_of(kind, name, self.request)
        self.at, self.began, self.has_ended = calls.at, time.time(), False
        # crewAI counts a prompt's tokens before it sends it, and estimates them where it can't.
        self.is_count = kind == "model" and bool(re.search("count|input_tokens", name, re.IGNORECASE))
        # Others cost next to nothing.
        self.counts = kind == "model" and not self.is_count and "embed" not in name.lower()
        self.id = current_call() if kind == "model" else None

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error:
            self.end(error=f"{type(error).__name__}: {error}")

    def end(self, **answer: Any) -> None:
        """Only once: an answer that breaks off is closed, too."""
        if self.has_ended:
            return
        self.has_ended = True
        tokens = tokens_of(answer.get("response")) if self.counts else (0, 0)
        counted = tokens if any(tokens) else self.estimate(answer)
        if self.counts:
            self.calls.usages.append(tokens)
            self.calls.gate.add(self.model, *counted)
        answer = self.calls.hidden(answer)
        parts = {"request": self.request, **{name: answer.pop(name, None) for name in ("response", "error")}}
        cut = {name: json.dumps(part)[:longest_part] for name, part in parts.items() if len(json.dumps(part)) > longest_part}
        call = {
            **{"kind": self.kind, "name": self.name, "key": self.key, "id": self.id, "isCut": bool(cut), "crewai": crewai_version},
            **{"variables": {name: value for name, value in os.environ.items() if model_name.search(name)}, "keys": self.calls.keys},
            **{"at": round(self.began * 1000), "seconds": round(time.time() - self.began, 3)},
            **({"model": self.model} if self.kind == "model" else {}),
            **({"usage" if any(tokens) else "estimate": {"prompt_tokens": counted[0], "completion_tokens": counted[1]}} if any(counted) else {}),
            **parts,
            **cut,
            **answer,
        }
        self.calls.reply("call", call={name: value for name, value in call.items() if value is not None})

    @property
    def model(self) -> str:
        """Google's is in the address."""
        given = self.request.get("model") if isinstance(self.request, dict) else None
        return str(given or re.sub(r"^models/|:\w+$", "", self.name))

    def estimate(self, answer: dict[str, Any]) -> tuple[int, int]:
        """For a budget, where the answer doesn't tell: of one that was refused, nothing is paid."""
        if not self.counts or not answer.get("response") or answer.get("status", 200) >= 400:
            return 0, 0
        return len(json.dumps(self.request)) // characters_per_token, len(json.dumps(answer["response"])) // characters_per_token

    def recorded(self) -> dict[str, Any] | None:
        """The answer in the recording. Reported as that of a call; without one, the attempt fails, but for a count."""
        recording = self.calls.recording
        found = recording.take(self.key, self.at) if recording else None
        if found:
            self.end(**{name: found[name] for name in ("status", "type", "response", "error") if name in found})
        elif recording and not self.is_count and not self.calls.misses:
            self.calls.misses.append(recording.explain_miss(self.kind, self.name, self.request))
        return found

    def replayed(self) -> Any:
        """What a tool returns."""
        found = self.recorded() or {"error": "Error: not recorded"}
        if "error" in found:
            # Whose name and text an agent may read.
            name, _, text = found["error"].partition(": ")
            raise type(name, (RuntimeError,), {})(text)
        return refused(found["response"]) if found.get("type") == failure else found.get("response")


def plain(value: Any) -> Any:
    """As JSON has it; as text if that would be another value."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return str(value)


def kept_result(tool: Any, result: Any) -> Any:
    """Of a tool: as JSON if an agent reads the same in a replay, else as what it reads."""
    told = getattr(tool, "format_output_for_agent", str)
    try:
        made = through_service(result)
    except (TypeError, ValueError, RecursionError):
        return told(result)
    return made if made is None or told(made) == told(result) else told(result)


def current_call() -> Any:
    """What names the call of a model that is under way in events."""
    current = getattr(base_llm, "_current_call_id", None)
    return current.get() if current else None


def json_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def tokens_of(answer: Any) -> tuple[int, int]:
    """Of the prompt and of the completion. A streamed answer tells them in one of its last events, or in several."""
    texts = re.findall(r"^data: ?(\{.*)$", answer, re.MULTILINE) if isinstance(answer, str) else []
    found: dict[str, int] = {}
    for part in [json_of(text) for text in texts] if texts else [answer]:
        for place in (part, part.get("message"), part.get("response")) if isinstance(part, dict) else ():
            usage = (place.get("usage") or place.get("usageMetadata")) if isinstance(place, dict) else None
            for name, count in usage.items() if isinstance(usage, dict) else ():
                if isinstance(count, int):
                    found[name] = max(count, found.get(name, 0))

    def count_of(names: tuple[tuple[str, ...], ...]) -> int:
        return next(filter(None, (sum(found.get(name, 0) for name in each) for each in names)), 0)

    return count_of(prompt_names), count_of(completion_names)
