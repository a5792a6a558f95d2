"""The worker's own types; those of crewAI differ between its versions, and take a minute to read."""

import pathlib

import crewdeck_worker
from mypy import api


def test_the_worker_is_typed(tmp_path):
    package = str(pathlib.Path(crewdeck_worker.__file__).parent)
    options = ["--strict", "--follow-imports=skip", "--allow-subclassing-any", "--disable-error-code=import-not-found"]
    report, errors, status = api.run([*options, f"--cache-dir={tmp_path}", package])
    assert status == 0, report + errors
