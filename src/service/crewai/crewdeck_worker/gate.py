"""Holds calls until a person has answered: of tools that are to be asked about, and of models once an execution has used its budget.

It stands where the calls are tapped (calls.py), not in crewAI's hooks: those run a tool whose hook fails, and a project can remove them.
"""

import fnmatch
import re
import threading
import unicodedata
from collections.abc import Callable
from typing import Any

from crewai import Crew
from crewai.tools import BaseTool
from crewai.tools.base_tool import Tool

from crewdeck_worker.protocol import Failure, Rules

try:
    from crewai.tools.tool_failure import ToolFailure
except ImportError:  # Older versions have no other result than text.
    ToolFailure = None
try:
    from crewai.utilities.string_utils import sanitize_tool_name
except ImportError:  # Older versions use the tool's own name.

    def sanitize_tool_name(name: str) -> str:
        return name


no_rules: Rules = {"ask": [], "allowed": [], "limits": {}, "since": {"tokens": 0, "dollars": 0}, "used": [], "judge": []}
# Characters of a call for a token, where a model doesn't tell its tokens.
characters_per_token = 4


class Gate:
    def __init__(self, ask: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """@param ask asks a person, and returns the answer"""
        self.ask = ask
        # One question at a time.
        self.lock = threading.Lock()
        self.open(no_rules)

    def open(self, rules: Rules) -> None:
        self.asked = {plain_name(name): name for name in rules["ask"]}
        self.allowed = {plain_name(name) for name in rules["allowed"]}
        self.limits, self.since = rules["limits"], rules["since"]
        self.tokens, self.dollars = 0, 0.0
        for model, prompt, completion in rules["used"]:
            self.add(model, prompt, completion)

    def asks(self, tool: str) -> bool:
        name = plain_name(tool)
        return name not in self.allowed and ("*" in self.asked or name in self.asked)

    def refusal(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What a tool returns in place of its result; None if it may run. Never raises: crewAI may call a tool again that fails."""
        if not self.asks(tool):
            return None
        try:
            with self.lock:
                # Another call of it may have been allowed meanwhile.
                if not self.asks(tool):
                    return None
                answer = self.ask({"kind": "tool", "tool": tool, "arguments": arguments})
                if answer["isApprove"] is True:
                    if answer["isForRun"] is True:
                        self.allowed.add(plain_name(tool))
                    return None
            words = str(answer["words"]).strip()
            return refused("A person refused this call." + (f" They say: {words}" if words else ""))
        except Exception as error:
            return refused(f"This call was refused, because nobody could be asked about it ({type(error).__name__}: {error}).")

    @property
    def is_over(self) -> bool:
        return any(count >= self.since[name] + self.limits[name] for name, count in self.total.items() if name in self.limits)

    @property
    def total(self) -> dict[str, float]:
        return {"tokens": self.tokens, "dollars": round(self.dollars, 6)}

    def wait_for_budget(self) -> None:
        """Before a call of a model. Returns once there is a budget for it; a person who wants no more stops the execution."""
        with self.lock:
            if self.is_over:
                total = self.total
                self.ask({"kind": "budget", **total})
                self.since = total

    def add(self, model: str, prompt: int, completion: int) -> None:
        self.tokens += prompt + completion
        price = price_of(model, self.limits.get("prices", {}))
        if price:
            self.dollars += (prompt * price["input"] + completion * price["output"]) / 1e6

    def check(self, crew: Crew) -> None:
        """Before anything runs: each tool that is to be asked about is tapped."""
        if self.asked or self.limits:
            for agent in crew.agents:
                # It would count while a call waits.
                agent.max_execution_time = None
        if not self.asked:
            return
        names = {plain_name(tool.name): tool.name for tool in tools_of(crew)}
        for plain, name in self.asked.items():
            if plain not in {"*", *names}:
                print(f"No agent has the tool {name}, whose calls are to wait for a person. Others are: {', '.join(names.values()) or 'none'}.")
        check_tapped(crew, "can't wait for a person", self.asks)


def tools_of(crew: Crew) -> list[BaseTool]:
    owners: list[Any] = [*crew.agents, *crew.tasks, *([crew.manager_agent] if crew.manager_agent else [])]
    return [tool for owner in owners for tool in owner.tools or [] if isinstance(tool, BaseTool)]


def check_tapped(crew: Crew, what: str, concerns: Callable[[str], bool]) -> None:
    """@param concerns whether a tool's name is one of those that have to be"""
    for tool in tools_of(crew):
        if concerns(tool.name) and not is_tapped(tool):
            raise Failure(
                f'Calls of the tool "{tool.name}" {what}: {type(tool).__name__} has its own way to run. '
                "Let it derive from crewAI's BaseTool, and implement only _run or _arun."
            )


def is_tapped(tool: BaseTool) -> bool:
    base = Tool if isinstance(tool, Tool) else BaseTool
    same = all(getattr(type(tool), name, None) is getattr(base, name, None) for name in ("run", "arun", "to_structured_tool"))
    if isinstance(tool, Tool):
        # A copy may have another name.
        return same and getattr(getattr(tool.func, "tapped_for", None), "name", None) == tool.name
    return same and all(getattr(getattr(tool, name), "tapped_for", None) is type(tool) for name in methods_of(type(tool)))


def methods_of(kind: type[BaseTool]) -> list[str]:
    """What runs; of a tool that is made of a function, that function does (`func`)."""
    own = [name for name in ("_run", "_arun") if getattr(kind, name, None) is not getattr(BaseTool, name, None)]
    return [] if issubclass(kind, Tool) else own


class Refusal(str):
    """For versions of crewAI without failures of tools."""


def is_failure(result: Any) -> bool:
    return isinstance(result, ToolFailure or Refusal)


def refused(words: str) -> Any:
    """Where crewAI knows failures, a refusal is one: it isn't cached, and is never the agent's answer."""
    return ToolFailure(message=words) if ToolFailure else Refusal(words)


def keep_no_refusals(tool: BaseTool) -> None:
    """Of older versions: crewAI keeps what a tool returned, and returns it when the same is asked again."""
    keeps = tool.cache_function
    if ToolFailure is None:
        tool.cache_function = lambda arguments, result: not isinstance(result, Refusal) and keeps(arguments, result)


def plain_name(tool: str) -> str:
    """The same for a tool's own name and for the one that newer versions of crewAI give it, for the model and in events."""
    name = unicodedata.normalize("NFKD", sanitize_tool_name(tool)).lower()
    return re.sub(r"[^a-z0-9]", "", name) or tool.strip()


def price_of(model: str, prices: dict[str, dict[str, float]]) -> dict[str, float] | None:
    """As the extension reads its setting: the longest pattern that fits the name, with or without its provider."""
    names = [model.lower(), model.lower().rpartition("/")[2]]
    # In a pattern, only the star is special.
    fitting = [
        pattern for pattern in prices if any(fnmatch.fnmatchcase(name, re.sub(r"([\[?])", r"[\1]", pattern.strip().lower())) for name in names)
    ]
    return prices[max(fitting, key=len)] if fitting else None
