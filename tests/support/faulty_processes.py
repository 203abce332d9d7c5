"""Processes of a cluster that are killed, stopped and started again, and what a test waits for after that."""
import os
import signal
import socket
import subprocess
import time
import urllib.request


class Process:
    """A process that can be killed, stopped and started again."""

    def __init__(self, name, arguments, log, environment=None):
        self.name, self.arguments, self.log = name, arguments, log
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.arguments, stdout=log, stderr=subprocess.STDOUT, env=self.environment)

    def send(self, what):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(what)

    def kill(self):
        self.send(signal.SIGCONT)
        self.send(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(30)
            self.process = None

    def is_dead(self):
        return self.process is None or self.process.poll() is not None

    def end_of_log(self):
        with open(self.log, errors="replace") as log:
            return f"--- {self.name}\n" + "".join(log.readlines()[-15:])


def await_etcd(address, patience=60):
    """Waits until the store answers: a node that finds none does not start."""
    deadline = time.monotonic() + patience
    while True:
        try:
            request = urllib.request.Request(f"http://{address}/v3/kv/range", b'{"key": "eA=="}')
            urllib.request.urlopen(request, timeout=2).read()
            return
        except OSError:
            assert time.monotonic() < deadline, "etcd does not answer"
            time.sleep(0.1)


def log_in(process, host, port, patience, timeout):
    """A client's session on the node that the process is; each of its requests may take `timeout` seconds."""
    import dolphindb
    deadline = time.monotonic() + patience
    while True:
        try:
            socket.create_connection((host, port), 1).close()  # the client would print what fails
            session = dolphindb.Session()
            if session.connect(host, port, "admin", "123456", readTimeout=timeout, writeTimeout=timeout):
                return session
        except Exception:  # noqa: BLE001
            pass
        assert time.monotonic() < deadline, f"{process.name} does not answer\n" + process.end_of_log()
        time.sleep(0.1)


def await_in_sync(nodes, states_of, patience):
    """Waits until every node says that all are in sync; returns how many seconds that took."""
    begin = time.monotonic()
    while True:
        try:
            states = [states_of(node) for node in nodes]
            if all(state == ["in sync"] * len(nodes) for state in states):
                return time.monotonic() - begin
        except Exception as error:  # noqa: BLE001
            states = error
        if time.monotonic() - begin > patience:
            raise AssertionError(f"not in sync again: {states}\n" + "\n".join(node.end_of_log() for node in nodes))
        time.sleep(0.1)
