"""Runs Python programs in children of one process that has imported crewAI, which takes seconds.

warm_programs.py <socket>: each connection brings {"arguments", "environment", "folder"} and the three standard streams, and ends with the program.
Ends when standard input closes.
"""

import json
import os
import pathlib
import runpy
import select
import signal
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "src" / "service" / "crewai"))

import worker  # noqa: E402


def run(request, streams):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
    os.chdir(request["folder"])
    program, *arguments = request["arguments"]
    sys.argv = [program, *arguments]
    if os.path.basename(program) == "worker.py":
        worker.own_id = os.getpid()
        worker.main()
    else:
        runpy.run_path(program, run_name="__main__")
    sys.stdout.flush()
    sys.stderr.flush()


worker.import_crewai()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
print("ready", flush=True)
while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
    connection, _ = listening.accept()
    length = int.from_bytes(connection.recv(4), "big")
    text, streams = b"", []
    while len(text) < length:
        part, passed, _, _ = socket.recv_fds(connection, length - len(text), 3)
        text, streams = text + part, streams + passed
    if os.fork() == 0:
        listening.close()
        try:
            run(json.loads(text), streams)
        finally:
            os._exit(0)
    for stream in streams:
        os.close(stream)
    connection.close()
