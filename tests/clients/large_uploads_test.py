#!/usr/bin/env python3
"""A value that is too large while it arrives: the client reads why, once it has sent all of it; the node logs it and goes on."""
import socket
import struct
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import run_cases_in_folders, tally

PELORUS, PASSWORD = sys.argv[1], "open-sesame-1"
MEGABYTE = b"\0" * (1 << 20)


class Node:
    def __init__(self, folder, *settings):
        config, self.log = folder + "/node.cfg", folder + "/node.log"
        with open(config, "w") as file:
            file.write(f"port=0\ndataDir={folder}/data\nadminPassword={PASSWORD}\nlogFile={self.log}\n" + "".join(s + "\n" for s in settings))
        self.process = subprocess.Popen([PELORUS, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        assert self.process.wait(30) == 0 or error[0]


class Client:
    """The native protocol, byte by byte."""

    def __init__(self, node):
        self.stream = socket.create_connection(("127.0.0.1", node.port), timeout=120)
        self.request(f"connect\nlogin\nadmin\n{PASSWORD}\nfalse")

    def request(self, body):
        self.stream.sendall(f"API 0 {len(body)}\n".encode() + body.encode())
        return self.answer()

    def answer(self):
        """The session's line and the line with OK or an error; what follows is dropped as far as it has arrived."""
        text = b""
        while text.count(b"\n") < 2:
            piece = self.stream.recv(1 << 16)
            if not piece:
                break
            text += piece
        return text.decode(errors="replace")

    def upload(self, doubles):
        """A variable of so many DOUBLEs, sent as clients send: all of it, before anything is read."""
        body = "variable\nx\n1\n1"
        self.stream.sendall(f"API 0 {len(body)}\n".encode() + body.encode() + b"\x10\x01" + struct.pack("<ii", doubles, 1))
        left = doubles * 8
        while left > 0:
            left -= self.stream.send(MEGABYTE[:min(left, len(MEGABYTE))])
        return self.answer()


def a_value_beyond_the_limit_of_a_request_is_refused_with_its_reason(folder):
    with Node(folder, "maxMemSize=1", "maxRequestBytes=0.2") as node:
        client = Client(node)
        assert "OK" in client.upload(1000)
        assert "maxRequestBytes" in client.upload(100_000_000)
        assert "OK" in Client(node).upload(1000)


def a_value_that_meets_the_memory_limit_while_it_arrives_is_refused_with_its_reason(folder):
    with Node(folder, "maxMemSize=1", "maxRequestBytes=0.7") as node:
        holder = Client(node)
        answer = holder.upload(40_000_000)
        assert "OK" in answer, answer
        client = Client(node)
        answer = client.upload(70_000_000)
        assert "Out of memory" in answer and "not taken" in answer, answer
        assert client.stream.recv(1) == b""  # the connection has ended in order
        assert "OK" in holder.request("script\nsum(x)")
        assert "OK" in Client(node).upload(1000)
    with open(node.log) as log:
        assert "does not fit into memory" in log.read()


TESTS = [a_value_beyond_the_limit_of_a_request_is_refused_with_its_reason,
         a_value_that_meets_the_memory_limit_while_it_arrives_is_refused_with_its_reason]


def main():
    return tally(*run_cases_in_folders(TESTS, "pelorus_uploads_"))


if __name__ == "__main__":
    sys.exit(main())
