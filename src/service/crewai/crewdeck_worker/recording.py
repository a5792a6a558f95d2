"""Reads a recording of a crew's calls, and finds in it the answer to a call, or what differs from the nearest one.

Each line is a JSON value. In a record, a text of several lines is `{"lines": N}`, and its lines follow as values of their own, so
that a change of a prompt reads like one in git. What is an object with only `lines` itself has its value in an array. The service
writes recordings (calls.ts).
"""

import difflib
import hashlib
import json
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any

from crewdeck_worker.gate import plain_name
from crewdeck_worker.protocol import Failure, Replay

# What crewAI puts into prompts and differs in each process: addresses of objects (planning), IDs and times of memories.
volatile = re.compile(r"\b0x[0-9a-f]{6,}\b|(?<=- id=)[0-9a-f-]{36}(?= \| scope=)|(?<= \| created=)\d{4}-\d\d-\d\dT[\d:.]+")
# Of the difference between two prompts.
longest_difference = 60


class Recording:
    def __init__(self, replay: Replay) -> None:
        self.file, self.live = replay["file"], replay["live"]
        try:
            with open(self.file, encoding="utf-8") as file:
                head, *calls = records_in(file)
            self.crewai = str(head["crewai"])
            # Those that name a model, and the names of the project's keys.
            self.variables: dict[str, str] = head.get("variables", {})
            self.keys: list[str] = head.get("keys", [])
            self.by_key: dict[str, list[dict[str, Any]]] = defaultdict(list)
            for call in calls:
                self.by_key[call["key"]].append(call)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise Failure(f"The recording {self.file} can't be read ({type(error).__name__}: {error}). Record again.") from None
        self.used: dict[tuple[str, str], int] = defaultdict(int)
        self.lock = threading.Lock()

    def take(self, key: str, at: object) -> dict[str, Any] | None:
        """The n-th call with a key in an attempt gets the n-th answer of that attempt, else of all; more calls get the last."""
        found = [call for call in self.by_key.get(key, []) if call["at"] == at] or self.by_key.get(key, [])
        with self.lock:
            use = (key, json.dumps(at))
            self.used[use] += 1
            return found[min(self.used[use], len(found)) - 1] if found else None

    def is_live(self, tool: str) -> bool:
        return self.live == "live" or plain_name(tool) in map(plain_name, self.live)

    def explain_miss(self, kind: str, name: str, request: object) -> str:
        """Why a call has no answer, for a person."""
        now, file = version("crewai"), os.path.basename(self.file)
        other = "" if now == self.crewai else f"It was recorded with crewAI {self.crewai}, and this is {now}, which may have other prompts. "
        what = f'call of the tool "{name}"' if kind == "tool" else "call of the model"
        text = lines_of(request)
        recorded = [lines_of(call["request"]) for calls in self.by_key.values() for call in calls if (call["kind"], call["name"]) == (kind, name)]
        if not recorded:
            return f"The recording {file} has no {what}. {other}Record again to keep this one."
        # It has the most lines in common: to compare their order, too, would take seconds.
        nearest = max(recorded, key=lambda one: difflib.SequenceMatcher(None, one, text, autojunk=False).quick_ratio())
        lines = [line for line in difflib.unified_diff(nearest, text, "recorded", "now", n=1, lineterm="") if not line.startswith("@@")]
        more = [f" ({len(lines) - longest_difference} more lines)"] if len(lines) > longest_difference else []
        difference = "\n".join([*lines[:longest_difference], *more])
        return f"The recording {file} has no such {what}. {other}Record again to accept the difference to the nearest one:\n{difference}"


def key_of(kind: str, name: str, request: object) -> str:
    """What calls have in common that get the same answer."""
    text = json.dumps([kind, name, request], sort_keys=True, default=str)
    return hashlib.sha256(volatile.sub("0x", text).encode()).hexdigest()[:32]


def lines_of(request: object) -> list[str]:
    return json.dumps(through_service(request), indent=1, ensure_ascii=False).replace("\\n", "\n").splitlines()


def through_service(value: Any) -> Any:
    """As it comes back from the service, whose numbers are JavaScript's: 2.0 is 2 there. @raise what json.dumps raises"""

    def number(text: str) -> float:
        found = float(text)
        return int(found) if found.is_integer() else found

    return json.loads(json.dumps(value, allow_nan=False), parse_float=number, parse_int=number)


def records_in(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """@raise ValueError"""
    left = iter(lines)

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"lines"}:
            count = value["lines"]
            return {"lines": whole(count[0])} if isinstance(count, list) else "\n".join(json.loads(next(left, "")) for _ in range(count))
        return {name: whole(each) for name, each in value.items()}

    for line in left:
        yield whole(json.loads(line))
