"""A plugin of pytest that reports as test/support/count-reporter.ts and standing.ts do, for `npm test` to add up."""

import json
import os
import pathlib

counts_file = os.environ.get("CREWDECK_COUNTS")
counts = {"passed": 0, "failed": 0, "skipped": 0, "failures": []}


def pytest_runtest_logstart(nodeid):
    if counts_file:
        pathlib.Path(f"{counts_file}.at-{os.getpid()}").write_text(f"in “{nodeid}”", encoding="utf-8")


def pytest_runtest_logreport(report):
    # A fixture that fails is reported apart from its test.
    if report.failed or report.skipped or report.when == "call":
        note(report)


def pytest_collectreport(report):
    if report.failed:
        note(report)


def pytest_sessionfinish():
    if counts_file:
        pathlib.Path(counts_file).write_text(json.dumps(counts), encoding="utf-8")


def note(report):
    counts[report.outcome] += 1
    if report.failed:
        counts["failures"].append({"title": report.nodeid, "error": report.longreprtext[-1_000:]})
