"""Stands for an interpreter: what it is asked to run, warm_programs.py runs."""

import json
import os
import socket
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "socket"))
arguments = [each for each in sys.argv[1:] if each != "-u"]
text = json.dumps({"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}).encode()
connection.sendall(len(text).to_bytes(4, "big"))
sent = socket.send_fds(connection, [text], [0, 1, 2])
connection.sendall(text[sent:])
# Only the program keeps them, so that their other ends see when it ends.
for stream in (0, 1, 2):
    os.close(stream)
connection.recv(1)
