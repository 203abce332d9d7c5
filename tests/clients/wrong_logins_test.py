#!/usr/bin/env python3
"""Many wrong logins keep nobody out: 64 connections that try 2,000 wrong passwords a minute, while admin logs in."""
import socket
import subprocess
import sys
import tempfile
import threading
import time

PASSWORD = "open-sesame-1"
PELORUS = sys.argv[1]
CONNECTIONS = 64
PER_MINUTE = 2000
SECONDS = 10


def log_in(port, user, password, stream=None):
    """Returns the stream and the server's answer."""
    stream = stream or socket.create_connection(("127.0.0.1", port), timeout=60)
    body = f"connect\nlogin\n{user}\n{password}\nfalse".encode()
    stream.sendall(b"API 0 %d / 0_1_4_64\n" % len(body) + body)
    answer = b""
    while answer.count(b"\n") < 2:
        piece = stream.recv(4096)
        if not piece:
            raise ConnectionError(answer)
        answer += piece
    return stream, answer.split(b"\n")[1].decode()


class Attacker(threading.Thread):
    """Tries wrong passwords at its share of the rate; comes again when it is thrown out."""

    def __init__(self, port, user, number, end):
        super().__init__(daemon=True)
        self.port, self.user, self.number, self.end = port, user, number, end
        self.tried = self.refused = 0

    def run(self):
        stream = None
        time.sleep(self.number * 60 / PER_MINUTE)
        while time.time() < self.end:
            begin = time.time()
            try:
                stream, answer = log_in(self.port, self.user, f"wrong-{self.number}-{self.tried}", stream)
                self.tried += 1
                self.refused += "too many" in answer.lower()
                assert answer != "OK"
            except (ConnectionError, OSError):
                stream = None
            time.sleep(max(0, 60 * CONNECTIONS / PER_MINUTE - (time.time() - begin)))


def attack(user):
    with tempfile.TemporaryDirectory(prefix="pelorus_logins_") as folder:
        config = folder + "/node.cfg"
        with open(config, "w") as file:
            file.write(f"port=0\ndataDir={folder}/data\nadminPassword={PASSWORD}\n")
        process = subprocess.Popen([PELORUS, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        try:
            port = next(int(line.strip().rstrip(".").rsplit(":", 1)[1]) for line in process.stdout if "listens on" in line)
            attackers = [Attacker(port, user, i, time.time() + SECONDS) for i in range(CONNECTIONS)]
            for attacker in attackers:
                attacker.start()
            times = []
            for _ in range(6):
                time.sleep(1.2)
                begin = time.time()
                stream, answer = log_in(port, "admin", PASSWORD)
                times.append(time.time() - begin)
                assert answer == "OK", answer
                stream.close()
            for attacker in attackers:
                attacker.join(70)
            tried = sum(a.tried for a in attackers)
            print(f"wrong logins of {user}: {tried} in {SECONDS} s, {sum(a.refused for a in attackers)} refused unhashed; "
                  f"admin was in within {times[0]:.3f} s at first, {max(times):.3f} s at most")
            assert tried > CONNECTIONS, "the attack was none"
        finally:
            process.terminate()
            assert process.wait(20) == 0


def main():
    failed = 0
    for user in ("admin", "eva"):
        try:
            attack(user)
        except Exception as error:
            failed += 1
            print(f"FAILED wrong logins of {user}: {error!r}")
    print(f"{2 - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
