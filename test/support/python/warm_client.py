"""Runs a program by a process that has imported crewAI already (warm_python.py), and anything else by Python itself.

    warm_client.py <Python> <path of a socket> <arguments of Python>
"""

import os
import sys

python, address, *arguments = sys.argv[1:]
program = [each for each in arguments if each != "-u"]
if not program or not program[0].endswith(".py"):
    os.execv(python, [python, *arguments])

import json  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402

with socket.socket(socket.AF_UNIX) as server:
    server.connect(address)
    socket.send_fds(server, [b"\n"], [0, 1, 2])
    # Only the program keeps them, so that their other ends see when it ends.
    for stream in (0, 1, 2):
        os.close(stream)
    wanted = {"program": program, "folder": os.getcwd(), "environment": dict(os.environ)}
    server.sendall(json.dumps(wanted).encode() + b"\n")
    status = int(server.recv(32) or signal.SIGKILL)
if os.WIFSIGNALED(status):
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.waitstatus_to_exitcode(status))
