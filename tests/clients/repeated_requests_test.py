#!/usr/bin/env python3
"""Numbered requests over a bare socket: a client that lost its connection repeats the request with the number negated, and gets the answer of the
first time, not the work again."""
import socket
import sys
import threading
import time
import traceback
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from doors_test import PASSWORD, Server


class Client:
    """A connection that has logged in, with the request line as the published clients write it."""

    def __init__(self, server, client="c-1", user="admin", password=PASSWORD, session="0"):
        self.client = client
        self.stream = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        body = f"connect\nlogin\n{user}\n{password}\nfalse"
        self.stream.sendall(f"API {session} {len(body)} / 32_1_4_2\n{body}".encode())
        self.answer()

    def send(self, script, number, client=None):
        body = "script\n" + script
        self.stream.sendall(f"API 0 {len(body)} / 32_1_4_64__0__{client or self.client}_{number}\n{body}".encode())

    def answer(self):
        """The header's count, the second line, and the bytes after it (an INT scalar has six)."""
        got = b""
        while got.count(b"\n") < 2:
            more = self.stream.recv(4096)
            assert more, got
            got += more
        head, line, rest = got.split(b"\n", 2)
        count = int(head.split()[1])
        while count and len(rest) < 6:
            rest += self.stream.recv(4096)
        return count, line.decode(), rest

    def run(self, script, number, client=None):
        self.send(script, number, client)
        return self.answer()

    def leave(self):
        self.stream.close()


def value(answer):
    assert answer[:2] == (1, "OK"), answer
    return int.from_bytes(answer[2][2:6], "little")


def a_repeat_gets_the_answer_and_does_not_run(server):
    first = Client(server)
    assert value(first.run("share table(1 as x) as log1; tableInsert(log1, 2)", 1)) == 1
    first.leave()
    second = Client(server)
    assert value(second.run("tableInsert(log1, 2)", -1)) == 1
    assert value(second.run("int(log1.rows())", 2)) == 2
    # A number that was never seen runs.
    assert value(second.run("int(tableInsert(log1, 3))", -9)) == 1
    assert value(second.run("int(log1.rows())", 10)) == 3


def errors_and_empty_answers_are_kept(server):
    first = Client(server, "c-2")
    wrong = first.run("share table(1 as x) as log2; throw 'no'", 1)
    assert wrong[0] == 0 and "no" in wrong[1]
    assert first.run("log2.append!(table(5 as x));", 2)[1] == "OK"
    first.leave()
    second = Client(server, "c-2")
    assert second.run("throw 'other'", -1) == wrong
    assert second.run("log2.append!(table(5 as x));", -2)[1] == "OK"
    assert value(second.run("int(log2.rows())", 3)) == 2


def answers_belong_to_one_client_and_user(server):
    first = Client(server, "c-3")
    assert value(first.run("createUser('mary', 'mary-secret-1'); grant('mary', SCRIPT_EXEC); 77", 1)) == 77
    first.leave()
    assert value(Client(server, "c-4").run("78", -1)) == 78
    assert value(Client(server, "c-3", "mary", "mary-secret-1").run("79", -1)) == 79
    assert value(Client(server, "c-3").run("80", -1)) == 77


def a_repeat_waits_for_the_end_of_its_lost_original(server):
    first = Client(server, "c-5")
    assert value(first.run("share table(1 as x) as log5; 1", 1)) == 1
    first.send("sleep(30000); tableInsert(log5, 2)", 2)
    time.sleep(0.3)
    got = []

    def repeat():
        second = Client(server, "c-5")
        got.append(value(second.run("tableInsert(log5, 2)", -2)))

    waiting = threading.Thread(target=repeat)
    waiting.start()
    time.sleep(0.3)
    assert not got, "the repeat ran beside its original"
    first.leave()  # noticed within a fraction of a second: the original is cancelled, and the repeat runs
    waiting.join(20)
    assert got == [1]
    assert value(Client(server, "c-5").run("int(log5.rows())", 3)) == 2


def a_number_in_use_is_refused(server):
    first, second = Client(server, "c-6"), Client(server, "c-6")
    first.send("sleep(3000); 1", 1)
    time.sleep(0.3)
    count, line, _ = second.run("2", 1)
    assert count == 0 and "still running" in line
    assert value(first.answer()) == 1
    assert value(second.run("2", 3)) == 2


def odd_numbers_do_no_harm(server):
    client = Client(server, "c-7")
    for number in ("0", "9223372036854775807", "-9223372036854775808", "-9223372036854775807"):
        assert value(client.run("5", number)) == 5
    assert value(client.run("6", 1, "x" * 500)) == 6


def a_session_id_may_be_left_empty(server):
    client = Client(server, session="")
    body = "script\n1+1"
    client.stream.sendall(f"API2  {len(body)} / 0_1_9_64\n{body}".encode())
    assert value(client.answer()) == 2


def main():
    server = Server()
    passed = failed = 0
    for test in (a_repeat_gets_the_answer_and_does_not_run, errors_and_empty_answers_are_kept, answers_belong_to_one_client_and_user,
                 a_repeat_waits_for_the_end_of_its_lost_original, a_number_in_use_is_refused, odd_numbers_do_no_harm, a_session_id_may_be_left_empty):
        try:
            test(server)
            passed += 1
        except Exception:
            failed += 1
            print("FAILED", test.__name__)
            traceback.print_exc(file=sys.stdout)
    server.alive()
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
