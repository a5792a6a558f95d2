"""Imports crewAI, and then forks itself for each program: importing takes seconds of the processor, forking milliseconds.

    warm_python.py <path of crewdeck_worker/__main__.py> <path of a socket>

A client connects to the socket, passes its standard streams, and writes one line of JSON,
{"program": ["a file", "its arguments"], "folder": "...", "environment": {...}}. The program lives as long as the client at most; its
wait status comes back when it ends. Ends when standard input closes.
"""

import json
import os
import pathlib
import runpy
import select
import signal
import socket
import sys
import threading

worker_program, address = sys.argv[1:]


def serve():
    # As for a program: its package is found.
    sys.path.insert(0, str(pathlib.Path(worker_program).parents[1]))
    from crewdeck_worker import __main__, protocol

    __main__.import_crewai()
    # What most crews and flows load when they run.
    import crewai.flow.flow  # noqa: F401
    import crewai.llms.providers.openai.completion  # noqa: F401
    import httpcore  # noqa: F401
    import lance_namespace  # noqa: F401
    import openai.resources.beta  # noqa: F401
    from crewai import events

    # The worker listens to all, and some are loaded when they are asked for.
    for name in events.__all__:
        getattr(events, name, None)
    assert threading.active_count() == 1, "A process with threads can't be forked."
    signal.signal(signal.SIGCHLD, reap)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            keep(client, protocol.end)
        client.close()


def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:  # There are no others.
        pass


def keep(client, end):
    """Starts a program, and reports its end."""
    _, streams, *_ = socket.recv_fds(client, 1, 3)
    with client.makefile("rb") as lines:
        wanted = json.loads(lines.readline())
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        # What Python made of this process's own streams may be of another kind.
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", buffering=1), open(2, "w", buffering=1)
        os.chdir(wanted["folder"])
        os.environ.clear()
        os.environ.update(wanted["environment"])
        sys.argv = wanted["program"]
        sys.path[0] = os.path.dirname(sys.argv[0])
        threading.Thread(target=end_with, args=(client, end), daemon=True).start()
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.stdout.flush()
        os._exit(0)
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(pid, 0)
    try:
        client.sendall(f"{status}\n".encode())
    finally:
        os._exit(0)


def end_with(client, end):
    client.recv(1)
    end()


serve()
